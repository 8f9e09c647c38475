/**
 * How far queries run over their limit of time, which is that of `npm start`: many quantiles over many spans, four requests at once. Prints a Markdown
 * table with the answer and the slowest of the four. The engine does not look at its clock within a block, so such a query may go on after its limit.
 *
 *     npx tsx bench/time-limit.ts [--spans 10000000]
 *
 * Builds what is measured beforehand: `npm run build`.
 */
import { parseArgs } from 'node:util';
import { startBenchServer } from './support/ingest/server.ts';

const { values } = parseArgs({ options: { spans: { type: 'string', default: '10000000' } } });
const spans = Number(values.spans);
const step = 500_000;

const quantiles = (count: number, of: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `q${i}=${of(i)}`).join(', ');
const ofOne = (count: number) => quantiles(count, (i) => `quantile(duration, ${i / count})`);
const ofMany = (count: number) => quantiles(count, (i) => `p99(duration + ${i}ns)`);
const questions: Readonly<Record<string, string>> = {
  'one quantile by service': 'spans | stats p99(duration) by service.name',
  '31 quantiles of as many fields': `spans | stats ${ofMany(31)}`,
  '31 quantiles of as many fields by name': `spans | stats ${ofMany(31)} by name`,
  '31 quantiles of as many fields by trace': `spans | stats ${ofMany(31)} by trace_id`,
  '100 quantiles of a field by name': `spans | stats ${ofOne(100)} by name`,
  '480 quantiles of a field': `spans | stats ${ofOne(480)}`,
  '480 quantiles of as many fields': `spans | stats ${ofMany(480)}`,
};

const server = await startBenchServer(true);
try {
  const { user, store } = server;
  // The first workspace and project have the number 1.
  for (let from = 0; from < spans; from += step)
    await store.command(
      `INSERT INTO spans (workspace, project, environment, retention_days, time, service, name, duration, trace_id, span_id)
       SELECT 1, 1, 'production', 30, now64(9) - toIntervalMicrosecond(number * 100), concat('service-', toString(number % 20)),
         toString(number % 100), cityHash64(number) % 1000000000, unhex(leftPad(hex(intDiv(number, 10)), 32, '0')),
         unhex(leftPad(hex(number + 1), 16, '0'))
       FROM numbers(${from}, ${step})`,
    );
  console.log('| four at once | answers | slowest, s |\n| --- | --- | ---: |');
  for (const [name, query] of Object.entries(questions)) {
    const ask = async () => {
      const began = performance.now();
      const { status, json } = await user.post(`${user.workspace}/query`, { query, from: 'now-1d', to: 'now+1m' });
      return {
        outcome: status === 200 ? '200' : `${status} ${json?.error?.code}`,
        seconds: (performance.now() - began) / 1000,
      };
    };
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    const outcomes = [...new Set(answers.map(({ outcome }) => outcome))].join(', ');
    console.log(`| ${name} | ${outcomes} | ${Math.max(...answers.map(({ seconds }) => seconds)).toFixed(1)} |`);
  }
} finally {
  await server.stop();
}
