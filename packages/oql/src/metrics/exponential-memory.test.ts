import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { boundForEngine, type Engine, startEngine } from '../testing/engine.ts';
import { NOW, SCOPE, WINDOW } from '../testing/fixture.ts';
import { type FixtureTable, rows, START, TENANT, TENANT_STRUCTURE } from '../testing/world.ts';

const [SERIES, POINTS, BUCKETS] = [10, 60, 160];
const START_MS = Number(START / 1_000_000n);
const key = `${TENANT_STRUCTURE}, metric String, series UInt64`;
const series = Array.from({ length: SERIES }, (_, i) => i + 1);

/** Every point has other buckets than the one before it: the first one moves, and every other point has the next smaller scale. */
const TABLES: readonly FixtureTable[] = [
  {
    insert: `INSERT INTO metric_series (workspace, project, environment, retention_days, day, metric, series, kind, temporality, monotonic, unit, service, resource, attributes)
      SELECT workspace, project, environment, 3650, toDate(${START_MS / 1000}), metric, series, 'exponential_histogram', 'cumulative', false, 's', 'shop', map(), map()
      FROM format(JSONEachRow, '${key}', {data})`,
    rows: rows(series.map((one) => ({ ...TENANT, metric: 'wide', series: one }))),
  },
  {
    insert: `INSERT INTO metric_histograms (workspace, project, environment, retention_days, metric, series, time, start_time, count, sum, no_recorded_value, bounds, bucket_counts, scale, zero_count, zero_threshold, positive_offset, positive_counts, negative_offset, negative_counts)
      SELECT workspace, project, environment, 3650, metric, series, fromUnixTimestamp64Milli(${START_MS} + minute * 60000, 'UTC'), fromUnixTimestamp64Milli(${START_MS}, 'UTC'), ${BUCKETS} * (minute + 1), 1, false, [], [], 4 - minute % 2, 0, 0, minute - 80, arrayWithConstant(${BUCKETS}, toUInt64(minute + 1)), 0, []
      FROM format(JSONEachRow, '${key}, minute Int32', {data})`,
    rows: rows(
      series.flatMap((one) =>
        Array.from({ length: POINTS }, (_, minute) => ({ ...TENANT, metric: 'wide', series: one, minute })),
      ),
    ),
  },
];

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(TABLES);
});
afterAll(() => engine?.stop());

test.each([
  ['whose buckets change with each point', 'metric wide | increase | p95 by bucket(5m)'],
  ['of many series with different buckets', 'metric wide | increase | p95'],
  ['of single points', 'metric wide | stats p95(value) by bucket(1m)'],
])('a quantile of exponential histograms %s is computed in 128 MiB', async (_, query) => {
  const compiled = compile(query, { scope: SCOPE, window: WINDOW, limit: 1_000, nowNs: NOW });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join());
  const settings = { ...compiled.settings, max_memory_usage: 128 * 1024 ** 2 };
  const found = await engine.select(compiled.sql, boundForEngine(compiled.params), settings);
  expect(found.length).toBeGreaterThan(0);
});
