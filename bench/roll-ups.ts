/**
 * Growth of counters from points and from roll-ups, on the engine alone: processor time of statements in turns. Also
 * what it costs to make the roll-ups, to keep them, and to count points by hour with each insert. Checks that both answers are the same.
 *
 *   npx tsx bench/roll-ups.ts [--rounds 9] [--series 1000] [--hours 24] [--step 15]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTelemetryStore } from '@fanion/embedded';
import { compile, type MetricRollUps } from '@fanion/oql';
import { createRollUpLag, rollUpJob } from '../packages/server/src/features/telemetry/roll-ups/index.ts';
import { createClickHouse, migrateTelemetry } from '../packages/server/src/platform/clickhouse/index.ts';
import { listRollUps } from '../packages/server/src/platform/gateway/know/store.ts';
import { cpuSeconds, median } from './support/load.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    series: { type: 'string', default: '1000' },
    /** Of the window. */
    hours: { type: 'string', default: '24' },
    /** Seconds between two points. */
    step: { type: 'string', default: '15' },
  },
});
const [rounds, seriesCount] = [Number(values.rounds), Number(values.series)];
const [hours, stepMs] = [Number(values.hours), Number(values.step) * 1000];
const metric = 'http_requests_total';
const hourMs = 3_600_000;
const quiet = { info() {}, warn: console.error, error: console.error };
const dir = mkdtempSync(join(tmpdir(), 'fanion-roll-ups-'));
const engine = await startTelemetryStore({ dir, memoryBytes: 2 * 1024 ** 3, log: quiet });
const store = createClickHouse({ url: engine.url, database: 'fanion', requestTimeoutMs: 600_000 });
await migrateTelemetry({ url: engine.url, database: 'fanion' });
const cpuMs = () => cpuSeconds(engine.pid() ?? 0) * 1000;
/** 40 minutes into an hour, so that a part of the day is not rolled up. */
const endMs = Math.floor(Date.now() / hourMs) * hourMs - 20 * 60_000;
const beginMs = endMs - (hours + 1) * hourMs;
const tenant = 'workspace, project, environment, retention_days';
const place = `1 AS workspace, 1 AS project, 'production' AS environment, 30 AS retention_days`;

/** @param metrics names of metrics that the series are divided into */
const fill = (table: string, fromMs: number, points: number, metrics: string) =>
  store.command(`INSERT INTO ${table} (${tenant}, metric, series, time, start_time, value, no_recorded_value)
    SELECT ${place}, ${metrics}, cityHash64(n), fromUnixTimestamp64Milli(toInt64(${fromMs} + at * ${stepMs} + n * 14 + 1), 'UTC'), toDateTime64(0, 3, 'UTC'),
      (at - if(at >= restart, restart, 0)) * (5 + n % 90) + (at * 7 + n * 13) % 5, false
    FROM (SELECT number % ${seriesCount} AS n, toInt64(intDiv(number, ${seriesCount})) AS at, toInt64(bitAnd(n * 2654435761, 4294967295) % 6000) AS restart
      FROM numbers(${seriesCount * points}))`);

async function countByHour(): Promise<void> {
  for (const table of ['counted', 'plain']) await store.command(`CREATE TABLE ${table} AS metric_points`);
  await store.command('ALTER TABLE plain DROP PROJECTION by_hour');
  const used = { plain: 0, counted: 0 };
  for (let round = 0; round < rounds; round++)
    for (const table of ['plain', 'counted'] as const) {
      const before = cpuMs();
      await fill(table, beginMs + round * 200 * stepMs, 200, `concat('metric_', toString(n % 100))`);
      await store.command(`OPTIMIZE TABLE ${table} FINAL`);
      used[table] += cpuMs() - before;
    }
  const points = rounds * 200 * seriesCount;
  const each = (ms: number) => `${((ms * 1000) / points).toFixed(2)} µs`;
  console.log(
    `a point, generated, inserted and merged ${rounds} times: ${each(used.plain)}, with counts by hour ${each(used.counted)}`,
  );
  for (const table of ['counted', 'plain']) await store.command(`DROP TABLE ${table}`);
}

async function bytesOf(table: string): Promise<number> {
  const { rows } = await store.query(
    `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'fanion' AND table = '${table}'`,
  );
  return Number(rows[0]?.[0]);
}

function ask(oql: string, rollUps: readonly MetricRollUps[]) {
  const to = BigInt(endMs) * 1_000_000n;
  const compiled = compile(oql, {
    scope: { workspace: 1 },
    window: { fromNs: to - BigInt(hours) * 3_600_000_000_000n, toNs: to },
    limit: 100_000,
    nowNs: to,
    types: {
      metrics: [{ name: metric, kind: 'sum', temporality: 'cumulative', classic: false }],
      alike: true,
      checked: true,
      rollUps,
    },
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message);
  const params = Object.fromEntries(Object.entries(compiled.params).map(([name, { value }]) => [name, value]));
  const run = () =>
    store.query(compiled.sql, { params, settings: { ...compiled.settings, use_query_condition_cache: 0 } });
  return { compiled, run };
}

try {
  await countByHour();
  await store.command(`INSERT INTO metric_series (${tenant}, day, metric, series, kind, temporality, monotonic, service, resource, attributes)
    SELECT ${place}, arrayJoin(arrayMap(h -> toDate(${beginMs} / 1000 + h * 3600), range(${hours + 2}))), '${metric}', cityHash64(n), 'sum', 'cumulative', true, 'bench', map('service.name', 'bench'),
      map('job', concat('job-', toString(intDiv(n, 50))), 'instance', concat('i-', toString(n)))
    FROM (SELECT number AS n FROM numbers(${seriesCount}))`);
  for (let hour = 0; hour <= hours; hour++)
    await fill('metric_points', beginMs + hour * hourMs, hourMs / stepMs, `'${metric}'`);
  await store.command('OPTIMIZE TABLE metric_points');
  // The first run of an hour looks at all that is stored.
  const jobMs = endMs + 21 * 60_000;
  const before = cpuMs();
  await rollUpJob(store, createRollUpLag()).run({
    name: 'metrics.roll_up',
    payload: undefined,
    scheduledFor: new Date(jobMs),
    epoch: 1,
    signal: new AbortController().signal,
    now: () => jobMs,
    commit: () => Promise.reject(new Error('it has no effects in the control plane')),
    finish: async () => {},
  });
  const points = ((hours + 1) * hourMs * seriesCount) / stepMs;
  const [ofPoints, ofRollUps] = [await bytesOf('metric_points'), await bytesOf('metric_rollups')];
  console.log(
    `rolled up ${points} points: ${(((cpuMs() - before) * 1000) / points).toFixed(2)} µs each; bytes of a point ${(ofPoints / points).toFixed(2)}, and ${(ofRollUps / points).toFixed(2)} for its roll-ups`,
  );

  const lines: string[] = [];
  for (const oql of [
    `metric ${metric} | rate | sum by job, bucket(5m)`,
    `metric ${metric} | rate | sum by job, bucket(1h)`,
    `metric ${metric} | increase | sum by job`,
  ]) {
    const plain = ask(oql, []);
    const scope = { workspace: 1, project: undefined, environment: undefined };
    const telemetry = {
      rows: <Row extends object>(_: object, sql: string, params: object) =>
        store.queryRows<Row>(sql, { params: { ...scope, ...params } }),
    };
    const { rollUps, reach } = plain.compiled;
    const metrics = [...new Set(rollUps.map(({ metric }) => metric))];
    const find = () => listRollUps(telemetry, scope, metrics, reach, new AbortController().signal);
    const rolled = ask(oql, await find());
    const [a, b] = [await plain.run(), await rolled.run()];
    const differ = a.rows.filter((row, i) => {
      const value = Number(row.at(-1));
      return Math.abs(value - Number(b.rows[i]?.at(-1))) > 1e-9 * Math.abs(value);
    }).length;
    const ways = [plain.run, rolled.run, find].map((run) => ({ run, ms: [] as number[], cpu: 0 }));
    for (let round = 0; round < rounds; round++)
      for (const way of ways) {
        const [cpu, began] = [cpuMs(), performance.now()];
        await way.run();
        way.ms.push(performance.now() - began);
        way.cpu += cpuMs() - cpu;
      }
    const shown = ways.map(({ ms, cpu }) => `${median(ms).toFixed(0)} / ${(cpu / rounds).toFixed(0)}`);
    const read = [a, b].map(({ cost }) => cost.rowsRead);
    lines.push(
      `| \`${oql}\`${differ > 0 || a.rows.length !== b.rows.length ? ' (differs)' : ''} | ${shown.join(' | ')} | ${read.join(' | ')} |`,
    );
  }
  console.log(`${cpus().length} cores of ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}
| question, ${hours} h | points: ms / cpu ms | roll-ups: ms / cpu ms | finding them: ms / cpu ms | rows read | with roll-ups |
| --- | --- | --- | --- | --- | --- |
${lines.join('\n')}`);
} finally {
  await store.close();
  await engine.stop();
  rmSync(dir, { recursive: true, force: true });
}
