/**
 * The reads that people wait for, right after spans and log records have come at full speed through a whole server: a trace
 * by its id, a rare and a frequent attribute of a service, a rare word, the newest rows, and counts of logs. Each round asks
 * for another value. Prints a Markdown table; progress goes to stderr.
 *
 *   npx tsx bench/reads.ts [--spans 1000000] [--logs 2000000] [--rounds 15] [--only name]
 *     at least so many are sent; the table says how many there are
 *
 * Times are those of the API. Processor time is the engine's own count. Builds what is measured beforehand: `npm run build`.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Signal } from '@fanion/telemetry';
import { tables } from './support/ingest/run.ts';
import { type BenchServer, startBenchServer } from './support/ingest/server.ts';
import { startSender } from './support/ingest/start-sender.ts';

const { values } = parseArgs({
  options: {
    spans: { type: 'string', default: '1000000' },
    logs: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
const POLL_MS = 200;
const LONGEST_MERGES_MS = 60_000;

/** Values that occur, another one for each round. */
interface Known {
  readonly trace: string;
  readonly customer: string;
  readonly word: string;
}
interface Read {
  readonly name: string;
  readonly ask: (known: Known) => { path: string } | { query: string };
}
const ofService = 'spans | where service.name == "service-7"';
const reads: readonly Read[] = [
  { name: 'trace by id', ask: ({ trace }) => ({ path: `/traces/${trace}` }) },
  {
    name: 'service and rare attribute',
    ask: ({ customer }) => ({ query: `${ofService} and app.customer.id == "${customer}" | limit 20` }),
  },
  {
    name: 'service and frequent attribute, newest 20',
    ask: () => ({ query: `${ofService} and http.route == "/cart" | limit 20` }),
  },
  { name: 'newest 20 spans', ask: () => ({ query: 'spans | limit 20' }) },
  { name: 'rare word in logs', ask: ({ word }) => ({ query: `logs | where body has "${word}" | limit 20` }) },
  { name: 'newest 20 log records', ask: () => ({ query: 'logs | limit 20' }) },
  { name: 'log records by severity', ask: () => ({ query: 'logs | stats n=count() by severity' }) },
  {
    name: 'top 10 of 50,000 customers in logs',
    ask: () => ({ query: 'logs | stats n=count() by app.customer.id | top 10 by n' }),
  },
];

const server = await startBenchServer(true);
try {
  await fill(server, 'traces', Number(values.spans));
  await fill(server, 'logs', Number(values.logs));
  await untilMerged(server);
  const known = await knownValues(server);
  const [[spans], [logs]] = await Promise.all([held(server, 'spans'), held(server, 'logs')]);
  console.log(
    `| what | p50, ms | least, ms | engine CPU, ms | rows read | rows of it |\n| --- | --- | --- | --- | --- | --- |`,
  );
  for (const read of reads.filter(({ name }) => name.includes(values.only))) {
    console.log(await measure(server, read, known));
  }
  console.error(`spans: ${spans}; logs: ${logs}; load ${(loadavg()[0] ?? 0).toFixed(1)}`);
} finally {
  await server.stop();
}
process.exit();

async function fill({ port, token, store, cpu }: BenchServer, signal: Signal, wanted: number): Promise<void> {
  const options = { port, token, signal, protocol: 'http-protobuf', gzip: false, connections: 8, rate: 0 } as const;
  const sender = await startSender(options);
  const stored = async () => Number((await store.query(`SELECT count() FROM ${tables[signal]}`)).rows[0]?.[0]);
  const [before, began] = [cpu(), performance.now()];
  sender.go();
  while ((await stored()) < wanted) await pause();
  const { acknowledged } = await sender.stop();
  while ((await stored()) < acknowledged) await pause();
  const [after, seconds] = [cpu(), (performance.now() - began) / 1000];
  const each = (used: number) => ((used * 1e6) / acknowledged).toFixed(2);
  console.error(
    `${signal}: ${acknowledged} at ${Math.round(acknowledged / seconds)} a second stored; µs each: ` +
      `server ${each(after.server - before.server)}, store ${each(after.store - before.store)}`,
  );
}

/** Merges of what has just come would be counted as the reads' own. */
async function untilMerged({ store }: BenchServer): Promise<void> {
  const end = performance.now() + LONGEST_MERGES_MS;
  for (let idle = 0; idle < 5 && performance.now() < end; ) {
    const { rows } = await store.query('SELECT count() FROM system.merges');
    idle = Number(rows[0]?.[0]) === 0 ? idle + 1 : 0;
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

async function knownValues({ store }: BenchServer): Promise<Known[]> {
  const some = rounds + 1;
  const texts = async (sql: string) => (await store.query(sql)).rows.map(([text]) => String(text));
  const [traces, customers, words] = await Promise.all([
    texts(
      `SELECT lower(hex(trace_id)) FROM spans WHERE workspace = 1 ORDER BY cityHash64(trace_id) LIMIT 1 BY trace_id LIMIT ${some}`,
    ),
    texts(`SELECT DISTINCT string_attributes['app.customer.id'] FROM spans WHERE service = 'service-7' LIMIT ${some}`),
    texts(`SELECT DISTINCT splitByChar(' ', body)[2] FROM logs LIMIT ${some}`),
  ]);
  return traces.map((trace, i) => ({ trace, customer: customers[i] ?? '', word: words[i] ?? '' }));
}

async function held({ store }: BenchServer, table: string): Promise<string[]> {
  const { rows } = await store.query(
    `SELECT concat(toString(sum(rows)), ' in ', toString(count()), ' parts, ', toString(round(sum(bytes_on_disk) / sum(rows), 1)), ' bytes each')
     FROM system.parts WHERE active AND database = 'fanion' AND table = '${table}'`,
  );
  return rows.map(([text]) => String(text));
}

async function measure(of: BenchServer, { name, ask }: Read, known: readonly Known[]): Promise<string> {
  const { user, store } = of;
  const send = (one: Known) => {
    const asked = ask(one);
    const whole = { project: user.projectId, from: 'now-1h', to: 'now' };
    return 'path' in asked
      ? user.get(`${user.workspace}${asked.path}`)
      : user.post(`${user.workspace}/query`, { ...asked, ...whole });
  };
  const counted = async () => {
    const { rows } = await store.query(
      `SELECT sumIf(value, event = 'OSCPUVirtualTimeMicroseconds'), sumIf(value, event = 'SelectedRows') FROM system.events`,
    );
    return [Number(rows[0]?.[0]), Number(rows[0]?.[1])] as const;
  };
  const [first, ...others] = known;
  if (first) await send(first);
  const times: number[] = [];
  let found = 0;
  const [cpuBefore, readBefore] = await counted();
  for (const one of others) {
    const began = performance.now();
    const answer = await send(one);
    times.push(performance.now() - began);
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.text}`);
    found = (answer.data.rows ?? answer.data.spans).length;
  }
  const [cpuAfter, readAfter] = await counted();
  times.sort((a, b) => a - b);
  const each = (total: number) => total / others.length;
  const ms = (n = Number.NaN) => n.toFixed(1);
  return `| ${name} | ${ms(times[times.length >> 1])} | ${ms(times[0])} | ${ms(each(cpuAfter - cpuBefore) / 1000)} | ${Math.round(each(readAfter - readBefore))} | ${found} |`;
}
