import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import type { DueHour, Portion } from './rules.ts';

export type Store = Pick<ClickHouse, 'queryRows' | 'command'>;

const key = 'workspace, project, environment, metric';

/**
 * Hours with more rows of points than their roll-ups were made of, the newest first. An hour that was rolled up waits for a quarter of its age,
 * at least five minutes and at most six hours: late points come in many inserts.
 */
export async function listDue(
  store: Store,
  { from, to }: { readonly from: number; readonly to: number },
  nowSeconds: number,
  limit: number,
): Promise<DueHour[]> {
  const rows = await store.queryRows<DueHour>(
    `SELECT ${key}, toUInt32(stored.hour) AS hour, toFloat64(stored.rows) AS rows
     FROM (SELECT ${key}, toStartOfHour(time) AS hour, count() AS rows FROM metric_points
       WHERE toStartOfHour(time) >= toDateTime({from:UInt32}, 'UTC') AND toStartOfHour(time) < toDateTime({to:UInt32}, 'UTC') GROUP BY ${key}, hour) AS stored
     LEFT JOIN (SELECT ${key}, metric_rollup_hours.hour AS hour, argMax(metric_rollup_hours.rows, version) AS known, max(made_at) AS made FROM metric_rollup_hours
       WHERE metric_rollup_hours.hour >= toDateTime({from:UInt32}, 'UTC') AND metric_rollup_hours.hour < toDateTime({to:UInt32}, 'UTC') GROUP BY ${key}, hour) AS rolled
       USING (${key}, hour)
     WHERE stored.rows > rolled.known
       AND toUInt32(rolled.made) + least(greatest(intDiv({now:UInt32} - toUInt32(stored.hour), 4), 300), 21600) <= {now:UInt32}
     ORDER BY hour DESC, ${key} LIMIT {limit:UInt32}`,
    { params: { from, to, now: nowSeconds, limit } },
  );
  return rows.map((row) => ({ ...row, hour: Number(row.hour), rows: Number(row.rows) }));
}

const ofHour = `workspace = {workspace:UInt32} AND project = {project:UInt32} AND environment = {environment:String} AND metric IN {metrics:Array(String)}
  AND time >= toDateTime64({hour:UInt32}, 3, 'UTC') AND time < toDateTime64({hour:UInt32} + 3600, 3, 'UTC')`;
const nanoseconds = (time: string, rest: string) => `toUnixTimestamp64Milli(${time}) * 1000000 + ${rest}`;
/** Two columns: the milliseconds, and the nanoseconds after them. */
const storedTime = (ns: string) => `fromUnixTimestamp64Milli(intDiv(${ns}, 1000000), 'UTC'), ${ns} % 1000000`;

/**
 * One row for each series and slot. As everywhere, points without a value are left out, and of points that were sent twice the one with the
 * largest value and then the latest start counts; `packages/oql/src/metrics/runs.ts` has the same rule.
 */
const slots = `
  INSERT INTO metric_rollups (workspace, project, environment, retention_days, metric, width, series, time, version, points,
    start_time, start_nanos, value, last_start_time, last_start_nanos, last_value, increase, difference, sum, min, max)
  SELECT {workspace:UInt32}, {project:UInt32}, {environment:String}, keep, metric, width, series,
    toDateTime64(intDiv(times[1], width * 1000000000) * width, 3, 'UTC'), {version:UInt64}, length(times),
    ${storedTime('starts[1]')}, values[1], ${storedTime('starts[-1]')}, values[-1],
    arraySum(arrayPopFront(grown)), arraySum(arrayDifference(values)), arrayReduce('sumKahan', values), arrayMin(values), arrayMax(values)
  FROM (
    SELECT metric, series, keep, width, arrayMap(t -> intDiv(t, width * 1000000000), allTimes) AS slot, arrayDifference(slot) AS steps,
      arraySplit((x, y) -> y != 0, allTimes, steps) AS timesOf, arraySplit((x, y) -> y != 0, allValues, steps) AS valuesOf,
      arraySplit((x, y) -> y != 0, allStarts, steps) AS startsOf, arraySplit((x, y) -> y != 0, allGrown, steps) AS grownOf
    FROM (
      SELECT metric, series, keep, arrayMap(p -> p.1, kept) AS allTimes, arrayMap(p -> p.2, kept) AS allValues, arrayMap(p -> p.3, kept) AS allStarts,
        arrayMap((d, s, v) -> if(d < 0 OR s > 0, v, d), arrayDifference(allValues), arrayDifference(allStarts), allValues) AS allGrown
      FROM (
        SELECT metric, series, max(retention_days) AS keep, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(
          groupArray((${nanoseconds('time', 'nanos')}, value, ${nanoseconds('start_time', 'start_nanos')}))))) AS kept
        FROM metric_points
        WHERE ${ofHour} AND NOT no_recorded_value AND series % {slices:UInt32} = {slice:UInt32}
        GROUP BY metric, series
      )
    )
    ARRAY JOIN [300, 3600] AS width
  )
  ARRAY JOIN timesOf AS times, valuesOf AS values, startsOf AS starts, grownOf AS grown`;

const settings = { max_execution_time: 60, max_threads: 1 };

/** Writes the roll-ups of a portion. Those of a lower version are replaced by them. */
export async function writeSlots(
  store: Store,
  { workspace, project, environment, hour, metrics, slices }: Portion,
  version: number,
  signal: AbortSignal,
): Promise<void> {
  for (let slice = 0; slice < slices; slice++) {
    const names = metrics.map(({ metric }) => metric);
    const params = { workspace, project, environment, hour, metrics: names, slices, slice, version };
    await store.command(slots, { params, settings, signal });
  }
}

/**
 * After the roll-ups themselves: only now are they read. The rows were counted before, so that a point that came meanwhile is missed. Roll-ups
 * consist of floats: where points are integers beyond 2^53, they never count as many rows as there are, and are not made again.
 */
export async function markHours(
  store: Store,
  { workspace, project, environment, hour, metrics }: Portion,
  version: number,
  nowSeconds: number,
): Promise<void> {
  await store.command(
    `INSERT INTO metric_rollup_hours (workspace, project, environment, metric, hour, version, rows, made_at)
     SELECT {workspace:UInt32}, {project:UInt32}, {environment:String}, one.1, toDateTime({hour:UInt32}, 'UTC'), {version:UInt64},
       if(one.1 IN (SELECT metric FROM metric_points WHERE ${ofHour} AND integer != 0), 18446744073709551615, one.2), toDateTime({now:UInt32}, 'UTC')
     FROM (SELECT arrayJoin(arrayZip({metrics:Array(String)}, {rows:Array(UInt64)})) AS one)`,
    {
      params: {
        workspace,
        project,
        environment,
        hour,
        metrics: metrics.map(({ metric }) => metric),
        rows: metrics.map(({ rows }) => rows),
        version,
        now: nowSeconds,
      },
    },
  );
}
