/**
 * Twelve queries over 10M spans, 10M log lines and 14M points through the API, compared with hand-written SQL on the
 * same engine through its own HTTP interface. Where the two answers differ, the line has a mark.
 *
 *   npx tsx bench/query.ts [--only name] [--rounds 15]
 *     --engine         the engine alone: processor time of the compiled statement and of that by hand
 *     --while-ingesting   the same while the signal that a question reads arrives at half of its target rate; both
 *                         statements and the API under the same load. Without BENCH_DATA, or with data of the last minutes:
 *                         what arrives then lies in the same partitions, whose parts are merged meanwhile.
 *     SCALE=0.01       a hundredth of everything
 *     BENCH_DATA=dir   keeps the telemetry there, and takes what an earlier run has left
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CatalogueMetric, compile } from '@fanion/oql';
import { portionsOf } from '../packages/server/src/features/telemetry/service-map/rules.ts';
import { countArrived, derivePortion } from '../packages/server/src/features/telemetry/service-map/store.ts';
import { textIndexJob } from '../packages/server/src/features/telemetry/text-indexes/index.ts';
import { signUp } from '../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../test/support/server-process.ts';
import { openFilledShop, tenant } from './support/filled-shop.ts';
import { halfLoad, startSender } from './support/ingest/start-sender.ts';
import { cpuSeconds } from './support/load.ts';
import { type CaseFacts, cases, type QueryCase } from './support/query-cases.ts';
import { differenceOf } from './support/same-answer.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    engine: { type: 'boolean' },
    sql: { type: 'boolean' },
    'while-ingesting': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const scale = Number(process.env.SCALE ?? 1);
const kept = process.env.BENCH_DATA;
const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'fanion-query-'));
const controlDir = mkdtempSync(join(tmpdir(), 'fanion-query-control-'));
const say = (line: string) => process.stderr.write(`${line}\n`);
const atOnce = 8;
/** Hours for which the job has derived the service map. */
const mapHours = 1;
/** Wait until arriving data is also inserted and merged. */
const SETTLE_MS = 2_000;

const { engine, store, endMs, forget, stop } = await openFilledShop(dataDir, scale, say, async (store, end) => {
  const mapped = { from: end / 1000 - mapHours * 3600, to: end / 1000 };
  const arrived = await countArrived(store, mapped);
  const minutes = Array.from({ length: mapHours * 60 }, (_, i) => mapped.from + i * 60);
  for (const portion of portionsOf(minutes, (minute) => arrived.get(minute) ?? 0))
    await derivePortion(store, portion, end, AbortSignal.timeout(600_000));
});
// Text indexes of past days, as built by the job of a running server.
await textIndexJob(store).run({
  name: 'bench',
  payload: null,
  scheduledFor: new Date(),
  epoch: 1,
  now: () => Date.now(),
  signal: AbortSignal.timeout(1_800_000),
  commit: () => Promise.reject(new Error('nothing is committed here')),
  finish: async () => {},
});

const [[sizes], [trace]] = await Promise.all([
  store.queryRows<{ rows: string; bytes: string; parts: string }>(
    `SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts FROM system.parts WHERE active AND database = 'fanion'`,
  ),
  store.queryRows<{ id: string }>(
    `SELECT lower(hex(trace_id)) AS id FROM spans WHERE time >= fromUnixTimestamp64Milli({at:Int64}, 'UTC') ORDER BY time LIMIT 1`,
    { params: { at: endMs - 15 * 3_600_000 } },
  ),
]);
const facts: CaseFacts = { workspace: tenant.workspace, endMs, traceId: trace?.id ?? '' };
say(
  `${sizes?.rows} rows in ${sizes?.parts} parts, ${Math.round(Number(sizes?.bytes) / 2 ** 20)} MiB, trace ${facts.traceId}`,
);

const types = {
  metrics: await store.queryRows<CatalogueMetric>(
    'SELECT DISTINCT metric AS name, toString(kind) AS kind, toString(temporality) AS temporality FROM metric_series',
  ),
};
// A separate server on this engine.
const port = await freePort();
const server = await serveProcess(controlDir, port, {
  CLICKHOUSE_URL: engine.url,
  FANION_QUERY_CONCURRENCY: String(atOnce),
  FANION_PROJECT_ITEMS_PER_SECOND: '100000000',
  FANION_PROJECT_BYTES_PER_SECOND: '100000000000',
});
const owner = await signUp(server.base, 'bench');
const ingestToken = values['while-ingesting'] ? await owner.token(['telemetry:ingest']) : undefined;

interface Spread {
  readonly p50: number;
  readonly p99: number;
}
function spread(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function askApi({ oql, request, hours }: QueryCase): Promise<void> {
  const [from, to] = [new Date(endMs - hours * 3_600_000).toISOString(), new Date(endMs).toISOString()];
  const { path, body } = request?.(facts, from, to) ?? { path: '/query', body: { query: oql, from, to } };
  return fetch(`${server.base}${owner.workspace}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { cookie: owner.cookie, origin: server.base, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).then(async (response) => {
    const text = await response.text();
    if (response.status !== 200)
      throw new Error(`${path}: ${response.status} ${text.slice(0, 500)} ${server.output().slice(-3000)}`);
  });
}

const windowOf = ({ hours }: QueryCase) => ({ from: endMs - hours * 3_600_000, to: endMs });

/** As the server asks first: with the kinds of metrics, histograms taken to be alike, and attributes taken to be texts. */
function compiled(one: QueryCase) {
  if (one.oql === undefined) return undefined;
  const { from, to } = windowOf(one);
  const result = compile(one.oql, {
    scope: { workspace: tenant.workspace },
    window: { fromNs: BigInt(from) * 1_000_000n, toNs: BigInt(to) * 1_000_000n },
    limit: 1000,
    nowNs: BigInt(Date.now()) * 1_000_000n,
    types: { ...types, alike: true },
  });
  if (!result.ok) throw new Error(`${one.name}: ${result.diagnostics[0]?.message}`);
  const statement = result.ofTexts ?? result;
  const params = Object.fromEntries(Object.entries(statement.params).map(([name, { value }]) => [name, value]));
  return { sql: statement.sql, params, settings: result.settings, columns: result.columns };
}

/** Engine alone: its time, its processor time and what it read. */
async function onEngine(runs: readonly (() => Promise<{ rowsRead: number; bytesRead: number }>)[]) {
  const results = runs.map(() => ({ times: [] as number[], cpu: 0, rowsRead: 0, bytesRead: 0 }));
  for (const run of runs) await run();
  // In turns, so that other load on the machine affects all alike.
  for (let round = 0; round < rounds; round++)
    for (const [at, run] of runs.entries()) {
      const result = results[at];
      if (result === undefined) continue;
      const before = cpuSeconds(engine.pid() ?? 0);
      result.times.push(
        await timed(async () => {
          const { rowsRead, bytesRead } = await run();
          Object.assign(result, { rowsRead, bytesRead });
        }),
      );
      result.cpu += cpuSeconds(engine.pid() ?? 0) - before;
    }
  // The store's processor time is then mostly that of ingest, so wall times are compared instead.
  const cpuMs = (cpu: number) => (values['while-ingesting'] ? Number.NaN : (cpu / rounds) * 1000);
  return results.map(({ times, cpu, ...read }) => ({ ...spread(times), cpuMs: cpuMs(cpu), ...read }));
}

const dash = (n: number) => (Number.isNaN(n) ? '–' : n.toFixed(2));
const ms = (n: number) => (Number.isNaN(n) ? '–' : n < 10 ? n.toFixed(1) : String(Math.round(n)));
interface Timed {
  readonly p50: number;
  readonly cpuMs: number;
}
/** Of processor time; of the medians of times where that is not known. */
const ratioOf = (ours: Timed, byHand: Timed) =>
  (Number.isNaN(ours.cpuMs) ? ours.p50 / byHand.p50 : ours.cpuMs / byHand.cpuMs).toFixed(2);
const lines: string[] = [];
try {
  for (const one of cases.filter(({ name }) => values.only === undefined || name.includes(values.only)))
    lines.push(await underLoad(one).catch((error: unknown) => `| ${one.name} | ${String(error).slice(0, 300)} |`));
} finally {
  await server.end('SIGTERM');
  await stop();
  rmSync(controlDir, { recursive: true, force: true });
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
}

/** Nothing where both statements give the same answer. */
async function mark(
  one: QueryCase,
  { sql, params, settings, columns }: NonNullable<ReturnType<typeof compiled>>,
  askByHand: () => ReturnType<typeof store.query>,
): Promise<string> {
  const [ours, byHand] = [await store.query(sql, { params, settings }), await askByHand()];
  const difference = differenceOf({ columns, ours: ours.rows, byHand: byHand.rows }, one.leeway ?? {});
  if (difference !== undefined) say(`${one.name}: the answers differ: ${difference}`);
  return difference === undefined ? '' : ' (≠)';
}

/** A line of the table; with `--while-ingesting`, what arrived meanwhile is reported, since a sender may fall behind. */
async function underLoad(one: QueryCase): Promise<string> {
  if (ingestToken === undefined) return measured(one);
  const { signal } = one;
  const rate = halfLoad[signal];
  const sending = {
    port,
    token: ingestToken,
    signal,
    rate,
    protocol: 'http-protobuf',
    gzip: false,
    connections: 8,
  } as const;
  const sender = await startSender(sending);
  try {
    sender.go();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const line = await measured(one);
    const { acknowledged, refused, seconds } = await sender.stop();
    const arrived = Math.round(acknowledged / seconds);
    say(`${one.name}: ${arrived} of ${rate} ${signal} a second acknowledged meanwhile, ${refused} refused`);
    return `${line} ${arrived} / ${rate} |`;
  } finally {
    sender.kill();
  }
}

/** A line of the table. */
async function measured(one: QueryCase): Promise<string> {
  const { from, to } = windowOf(one);
  const oql = compiled(one);
  if (values.sql) say(`${oql?.sql ?? ''}\n`);
  // Avoids the engine's query condition cache: each round has another window.
  const ask = (sql: string, params: Record<string, unknown>, settings?: Readonly<Record<string, string | number>>) =>
    store.query(sql, { params, settings: { ...settings, use_query_condition_cache: 0 } });
  const run =
    (...statement: Parameters<typeof ask>) =>
    async () =>
      (await ask(...statement)).cost;
  const byHandStatement = [one.hand(facts), { workspace: facts.workspace, from, to }] as const;
  const hand = run(...byHandStatement);
  const name = `${one.name}, ${one.hours} h${oql ? await mark(one, oql, () => ask(...byHandStatement, oql.settings)) : ''}`;
  if (values.engine) {
    const [byHand, byOql] = await onEngine([hand, ...(oql ? [run(oql.sql, oql.params, oql.settings)] : [])]);
    const told = [byHand, byOql].map((of) =>
      of
        ? `${ms(of.p50)} | ${ms(of.cpuMs)} | ${(of.rowsRead / 1e6).toFixed(2)} | ${Math.round(of.bytesRead / 2 ** 20)}`
        : '– | – | – | –',
    );
    const line = `| ${name} | ${told.join(' | ')} | ${byHand && byOql ? ratioOf(byOql, byHand) : '–'} |`;
    say(line);
    return line;
  }
  const coldTimes: number[] = [];
  for (let i = 0; i < 3; i++) {
    await forget();
    coldTimes.push(await timed(() => askApi(one)));
  }
  const [byHand, byOql] = await onEngine([hand, ...(oql ? [run(oql.sql, oql.params, oql.settings)] : [])]);
  if (byHand === undefined) return '';
  const alone: number[] = [];
  for (let i = 0; i < rounds; i++) alone.push(await timed(() => askApi(one)));
  const together: number[] = [];
  const client = async () => {
    for (let i = 0; i < Math.ceil(rounds / 3); i++) together.push(await timed(() => askApi(one)));
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  const compileUs =
    one.oql === undefined
      ? undefined
      : (await timed(async () => {
          for (let i = 0; i < 200; i++) compiled(one);
        })) / 200;
  const [cold, warm, busy] = [spread(coldTimes), spread(alone), spread(together)];
  const both = (of: Spread) => `${ms(of.p50)} / ${ms(of.p99)}`;
  const cost = (of: typeof byHand) =>
    `${ms(of.p50)} (cpu ${ms(of.cpuMs)}, ${(of.rowsRead / 1e6).toFixed(2)}M rows, ${Math.round(of.bytesRead / 2 ** 20)} MiB)`;
  const ratio = byOql ? `${(byOql.p50 / byHand.p50).toFixed(2)} (cpu ${dash(byOql.cpuMs / byHand.cpuMs)})` : '–';
  const verdict = one.target === undefined ? '' : `${warm.p50 <= one.target ? '≤' : '**>**'} ${one.target}`;
  const line = `| ${name} | ${cost(byHand)} | ${byOql ? cost(byOql) : '–'} | ${ratio} | ${ms(cold.p50)} | ${both(warm)} ${verdict} | ${both(busy)} | ${compileUs === undefined ? '–' : compileUs.toFixed(2)} |`;
  say(line);
  return line;
}
const questions = values.engine
  ? `| question | by hand: ms | cpu | M rows | MiB | compiled: ms | cpu | M rows | MiB | ratio of ${values['while-ingesting'] ? 'ms' : 'cpu'} |`
  : `| question | by hand: ms | compiled: ms | ratio | API cold | API warm p50 / p99 | ${atOnce} at once p50 / p99 | compile ms |`;
const header = `${questions}${values['while-ingesting'] ? ' arrived / wanted a second |' : ''}`;
console.log(`${cpus().length} cores of ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}, ${sizes?.rows} rows in ${sizes?.parts} parts\n
${header}
${header.replace(/[^|]+/g, ' --- ')}
${lines.join('\n')}`);
