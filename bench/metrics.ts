/**
 * Rates of counters over 1,000 and over 50 series, through the API and on the engine alone, beside a Prometheus that holds the same
 * points: 4M of them, every 15 s, in eight parts. Checks that `promrate` gives what Prometheus' `rate` gives.
 *
 *   BENCH_DATA=dir npx tsx bench/metrics.ts [--rounds 9]
 *     The first run fills `dir`, later ones use it. `prometheus` and `promtool` (Debian's package) have to be on the path.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTelemetryStore } from '@fanion/embedded';
import { compile } from '@fanion/oql';
import { createClickHouse, migrateTelemetry } from '../packages/server/src/platform/clickhouse/index.ts';
import { signUp } from '../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../test/support/server-process.ts';
import { cpuSeconds, median } from './support/load.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const rounds = Number(values.rounds);
const kept = process.env.BENCH_DATA;
if (!kept) throw new Error('BENCH_DATA is not set: name a folder for 4M points');
const [seriesCount, perSeries, stepMs, parts] = [1000, 4000, 15_000, 8];
const metric = 'http_requests_total';
const quiet = { info() {}, warn: console.error, error: console.error };
const promDir = join(kept, 'prometheus');
const note = join(kept, 'filled.json');
const controlDir = mkdtempSync(join(tmpdir(), 'fanion-metrics-'));

mkdirSync(join(kept, 'telemetry'), { recursive: true });
const engine = await startTelemetryStore({ dir: join(kept, 'telemetry'), memoryBytes: 4 * 1024 ** 3, log: quiet });
const store = createClickHouse({ url: engine.url, database: 'fanion', requestTimeoutMs: 600_000 });
await migrateTelemetry({ url: engine.url, database: 'fanion' });
const endMs: number = existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')).endMs : await fill();

/**
 * The same points twice: as rows of the store, and as a text of which promtool makes Prometheus' blocks. None lies on the edge
 * of a bucket, which Prometheus 2 counts in both.
 */
async function fill(): Promise<number> {
  const end = Math.floor(Date.now() / 60_000) * 60_000;
  const begin = end - perSeries * stepMs;
  const place = `1 AS workspace, 1 AS project, 'production' AS environment, 30 AS retention_days`;
  const tenant = 'workspace, project, environment, retention_days';
  const label = `map('job', concat('job-', toString(intDiv(n, 50))), 'instance', concat('i-', toString(n)), 'shard', toString(n % 50))`;
  await store.command('SYSTEM STOP MERGES metric_points');
  await store.command(`INSERT INTO metric_series (${tenant}, day, metric, series, kind, temporality, monotonic, service, resource, attributes)
    SELECT ${place}, arrayJoin([toDate(${begin} / 1000), toDate(${end} / 1000)]), '${metric}', cityHash64(n), 'sum', 'cumulative', true, 'bench', map('service.name', 'bench'), ${label}
    FROM (SELECT number AS n FROM numbers(${seriesCount}))`);
  const ofPart = perSeries / parts;
  for (let part = 0; part < parts; part++)
    await store.command(`INSERT INTO metric_points (${tenant}, metric, series, time, start_time, value, no_recorded_value)
      SELECT ${place}, '${metric}', cityHash64(n), fromUnixTimestamp64Milli(toInt64(${begin} + at * ${stepMs} + n * 14 + 1), 'UTC'), toDateTime64(0, 3, 'UTC'),
        (at - if(at >= restart, restart, 0)) * (5 + n % 90) + (at * 7 + n * 13) % 5, false
      FROM (SELECT number % ${seriesCount} AS n, toInt64(intDiv(number, ${seriesCount}) + ${part * ofPart}) AS at, toInt64(bitAnd(n * 2654435761, 4294967295) % ${perSeries}) AS restart
        FROM numbers(${seriesCount * ofPart}))`);
  const file = join(kept ?? '', 'points.txt');
  const out = createWriteStream(file);
  out.write('# TYPE http_requests counter\n');
  for (let n = 0; n < seriesCount; n++) {
    const restart = ((n * 2654435761) % 2 ** 32) % perSeries;
    const labels = `{job="job-${Math.floor(n / 50)}",instance="i-${n}",shard="${n % 50}"}`;
    const lines = Array.from({ length: perSeries }, (_, at) => {
      const value = (at - (at >= restart ? restart : 0)) * (5 + (n % 90)) + ((at * 7 + n * 13) % 5);
      return `${metric}${labels} ${value} ${(begin + at * stepMs + n * 14 + 1) / 1000}\n`;
    });
    if (!out.write(lines.join(''))) await new Promise<void>((resolve) => out.once('drain', () => resolve()));
  }
  await new Promise<void>((resolve) => out.end('# EOF\n', () => resolve()));
  const made = spawnSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, promDir], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`promtool: ${made.stderr}`);
  rmSync(file);
  writeFileSync(note, JSON.stringify({ endMs: end }));
  return end;
}

interface Case {
  readonly name: string;
  readonly hours: number;
  readonly oql: string;
  readonly promql: string;
  /** The two mean the same to the last digit; our own `rate` counts each bucket by itself. */
  readonly exact?: true;
}
const job = '{job="job-3"}';
const cases: readonly Case[] = [1, 16].flatMap((hours): Case[] => [
  {
    name: 'rate by job, 1,000 series',
    hours,
    oql: `metric ${metric} | rate | sum by job, bucket(1m)`,
    promql: `sum by (job) (rate(${metric}[1m]))`,
  },
  {
    name: 'rate by shard, 50 series',
    hours,
    oql: `metric ${metric} | where job == "job-3" | rate | sum by shard, bucket(1m)`,
    promql: `sum by (shard) (rate(${metric}${job}[1m]))`,
  },
  {
    name: 'promrate 5m by job, 1,000 series',
    hours,
    oql: `metric ${metric} | promrate 5m | sum by job, bucket(1m)`,
    promql: `sum by (job) (rate(${metric}[5m]))`,
    exact: true,
  },
]);

const promPort = await freePort();
writeFileSync(join(kept, 'prometheus.yml'), 'global: {}\n');
const prometheus: ChildProcess = spawn(
  'prometheus',
  [
    `--config.file=${join(kept, 'prometheus.yml')}`,
    `--storage.tsdb.path=${promDir}`,
    '--storage.tsdb.retention.time=10y',
    `--web.listen-address=127.0.0.1:${promPort}`,
  ],
  { stdio: 'ignore' },
);
const port = await freePort();
const server = await serveProcess(controlDir, port, { CLICKHOUSE_URL: engine.url });
const owner = await signUp(server.base, 'bench');

type Rows = readonly (readonly unknown[])[];
async function askApi({ oql, hours }: Case): Promise<Rows> {
  const [from, to] = [endMs - hours * 3_600_000, endMs].map((at) => new Date(at).toISOString());
  const response = await fetch(`${server.base}${owner.workspace}/query`, {
    method: 'POST',
    headers: { cookie: owner.cookie, origin: server.base, 'content-type': 'application/json' },
    body: JSON.stringify({ query: oql, from, to, limit: 100_000 }),
  });
  const body = await response.json();
  if (response.status !== 200) throw new Error(JSON.stringify(body).slice(0, 500));
  return body.data.rows;
}

async function askPrometheus({ promql, hours }: Case): Promise<Map<string, number>> {
  const end = endMs / 1000;
  const range = { query: promql, start: String(end - hours * 3600 + 60), end: String(end), step: '60' };
  const response = await fetch(`http://127.0.0.1:${promPort}/api/v1/query_range?${new URLSearchParams(range)}`);
  const body = await response.json();
  const found = new Map<string, number>();
  for (const { metric: labels, values: points } of body.data.result)
    for (const [at, value] of points) found.set(`${Object.values(labels)} ${at - 60}`, Number(value));
  return found;
}

function askEngine({ oql, hours }: Case) {
  const to = BigInt(endMs) * 1_000_000n;
  const compiled = compile(oql, {
    scope: { workspace: 1 },
    window: { fromNs: to - BigInt(hours) * 3_600_000_000_000n, toNs: to },
    limit: 100_000,
    nowNs: to,
    types: { metrics: [{ name: metric, kind: 'sum', temporality: 'cumulative', classic: false }] },
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message);
  const params = Object.fromEntries(Object.entries(compiled.params).map(([name, { value }]) => [name, value]));
  return () => store.query(compiled.sql, { params, settings: { ...compiled.settings, use_query_condition_cache: 0 } });
}

/** Median wall time and mean processor time of several ways, in turns. */
async function inTurns(ways: readonly { readonly ask: () => Promise<unknown>; readonly pids: readonly number[] }[]) {
  const found = ways.map(() => ({ times: [] as number[], cpu: 0 }));
  const used = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  for (const { ask } of ways) await ask();
  for (let round = 0; round < rounds; round++)
    for (const [at, { ask, pids }] of ways.entries()) {
      const [before, began] = [used(pids), performance.now()];
      await ask();
      found[at]?.times.push(performance.now() - began);
      const one = found[at];
      if (one) one.cpu += used(pids) - before;
    }
  return found.map(({ times, cpu }) => ({ ms: median(times), cpuMs: (cpu / rounds) * 1000 }));
}

function differing(rows: Rows, theirs: ReadonlyMap<string, number>): number {
  return rows.filter((row) => {
    const key = `${row[0]} ${Date.parse(String(row[1])) / 1000}`;
    const value = theirs.get(key);
    return value === undefined || Math.abs(value - Number(row[2])) > 1e-9 * Math.abs(value);
  }).length;
}

const lines: string[] = [];
try {
  for (const one of cases) {
    const [rows, theirs] = [await askApi(one), await askPrometheus(one)];
    const wrong = one.exact ? differing(rows, theirs) + Math.abs(rows.length - theirs.size) : 0;
    const [enginePid, serverPid, promPid] = [engine.pid() ?? 0, server.child.pid ?? 0, prometheus.pid ?? 0];
    const [api, alone, peer] = await inTurns([
      { ask: () => askApi(one), pids: [enginePid, serverPid] },
      { ask: askEngine(one), pids: [enginePid] },
      { ask: () => askPrometheus(one), pids: [promPid] },
    ]);
    if (!api || !alone || !peer) continue;
    const both = (of: typeof api) => `${of.ms.toFixed(1)} / ${of.cpuMs.toFixed(0)}`;
    const ratios = `${(api.ms / peer.ms).toFixed(2)} | ${(alone.ms / peer.ms).toFixed(2)}`;
    const mark = wrong > 0 ? ` (${wrong} rows differ)` : '';
    lines.push(`| ${one.name}, ${one.hours} h${mark} | ${both(api)} | ${both(alone)} | ${both(peer)} | ${ratios} |`);
    console.log(lines.at(-1));
  }
} finally {
  prometheus.kill('SIGTERM');
  await server.end('SIGTERM');
  await store.close();
  await engine.stop();
  rmSync(controlDir, { recursive: true, force: true });
}
console.log(`${cpus().length} cores of ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}\n
| question | API: ms / cpu ms | engine: ms / cpu ms | Prometheus: ms / cpu ms | ratio of ms, API | ratio of ms, engine |
| --- | --- | --- | --- | --- | --- |
${lines.join('\n')}`);
