/**
 * What a setting of the engine changes for reads: each is asked with and without it, in turns on the same rows, as the server would ask.
 * Prints medians of the processor time of the engine's process.
 *
 *   npx tsx bench/reads-settings.ts name=value [name=value …] [--spans 1000000] [--logs 1500000] [--rounds 15] [--only name,name]
 *     the settings that are compared with the server's own, e.g. output_format_parallel_formatting=1
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createTraceService } from '../packages/server/src/features/telemetry/traces/index.ts';
import { testGateway } from '../packages/server/src/testing/test-gateway.ts';
import { startBenchServer } from './support/ingest/server.ts';
import { cpuMilliseconds, median } from './support/load.ts';
import { held, type Known, prepare, reads } from './support/reads.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    spans: { type: 'string', default: '1000000' },
    logs: { type: 'string', default: '1500000' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
});
const compared = Object.fromEntries(positionals.map((text) => text.split('=')));
const everything = { workspace: 1, project: undefined, environment: undefined };
const HOUR_NS = 3_600_000_000_000n;
const LARGE = 20_000;

const server = await startBenchServer(true);
try {
  const known = await prepare(server, values);
  const asked = [asking({}), asking(compared)];
  const names = ['SELECT 1', ...reads.map(({ name }) => name), `${LARGE} spans`].filter((name) =>
    values.only.split(',').some((part) => name.includes(part)),
  );
  const cpu = new Map(names.map((name) => [name, asked.map((): number[] => [])]));
  for (const [round, one] of known.entries()) {
    for (const name of names) {
      // The first of two finds the caches of the processor as another statement left them.
      const order = round % 2 === 0 ? [...asked.entries()] : [...asked.entries()].reverse();
      for (const [which, ask] of order) {
        const before = cpuMilliseconds(server.enginePid);
        await ask(name, one);
        if (round > 0) cpu.get(name)?.[which]?.push(cpuMilliseconds(server.enginePid) - before);
      }
    }
  }
  console.log(`| what | now, ms | ${positionals.join(', ')}, ms |\n| --- | --- | --- |`);
  for (const [name, times] of cpu)
    console.log(`| ${name} | ${times.map((each) => median(each).toFixed(1)).join(' | ')} |`);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  console.error(`${await held(server, 'spans')}; ${await held(server, 'logs')}; load ${load}`);
} finally {
  await server.stop();
}
process.exit();

/** Asks the engine as the server does, with these settings too. */
function asking(settings: Readonly<Record<string, string>>): (name: string, known: Known) => Promise<unknown> {
  const { store } = server;
  const more = <T extends { settings?: Record<string, string | number> }>(options: T | undefined) => ({
    ...options,
    settings: { ...options?.settings, ...settings },
  });
  const gateway = testGateway({
    query: (sql, options) => store.query(sql, more(options)),
    queryRows: (sql, options) => store.queryRows(sql, more(options)),
    open: (sql, options) => store.open(sql, more(options)),
    stream: (sql, options) => store.stream(sql, more(options)),
    command: (sql, options) => store.command(sql, options),
  });
  const lane = gateway.lane('interactive');
  const traces = createTraceService(lane);
  const { signal } = new AbortController();
  return (name, known) => {
    if (name === 'SELECT 1') return lane.rows(everything, name, {}, signal);
    const question = reads.find((read) => read.name === name)?.ask(known) ?? { query: 'spans' };
    if ('path' in question) {
      const scope = {
        workspace: { id: '', slug: '', name: '', number: 1 },
        project: undefined,
        environment: undefined,
      };
      return traces.get(scope, known.trace, { logs: false, flags: false }, signal);
    }
    const nowNs = BigInt(Date.now()) * 1_000_000n;
    const window = { fromNs: nowNs - HOUR_NS, toNs: nowNs };
    return gateway.ask(everything, { oql: question.query, window, limit: LARGE }, { lane: 'interactive', signal });
  };
}
