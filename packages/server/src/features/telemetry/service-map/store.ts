import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { databaseName, databaseSystem, named, noSpan, outside, queueName, queueSystem } from './peer-store.ts';
import {
  type EdgeRow,
  fiveMinutesOf,
  type LiveMinutes,
  type Minutes,
  maxSpansOfPortion,
  type Portion,
} from './rules.ts';

const place = 'workspace, project, environment, retention_days';

/** Points in time from a parameter of seconds; a constant, so that the engine reads only their part of the order key. */
const times = (parameter: string) => `arrayMap(at -> toDateTime(at, 'UTC'), {${parameter}:Array(UInt32)})`;

/** Spans that began in one of `{minutes}`. The bounds let the engine skip whole days. */
const began = `toStartOfFiveMinutes(time) IN ${times('fives')} AND toStartOfMinute(time) IN ${times('minutes')}
  AND time >= toDateTime64({from:UInt32}, 9, 'UTC') AND time < toDateTime64({to:UInt32}, 9, 'UTC')`;

/** What the statements with {@link began} and {@link edges} bind for minutes, given by their starts in any order. */
function minuteParameters(minutes: readonly number[]) {
  return {
    minutes,
    fives: fiveMinutesOf(minutes, 0, 0),
    near: fiveMinutesOf(minutes, 600, 120),
    from: minutes.reduce((least, at) => Math.min(least, at), Number.MAX_SAFE_INTEGER),
    to: minutes.reduce((most, at) => Math.max(most, at), 0) + 60,
  };
}

/**
 * Edges of the spans that began in `{minutes}`, as rows of `service_edges` without a version.
 * - Incoming calls of a service: server and consumer spans, and roots.
 * - Calls between services: a span whose parent belongs to another service. The parent may have begun up to ten minutes
 *   earlier.
 * - Databases and queues: by the attributes of client, producer and consumer spans.
 * - External systems: client spans with an address and without a child in another service. If a minute has more spans
 *   than a join can hold, one trace in `sampling` represents as many.
 * @param scope the condition on the tenant for readers; `true` for the job
 */
function edges(scope: string): string {
  const sampled = 'cityHash64(trace_id) % {sampling:UInt32} = 0';
  const within = `${scope} AND ${began} AND ${sampled}`;
  const around = (before: number, after: number) =>
    `${scope} AND toStartOfFiveMinutes(time) IN ${times('near')}
       AND time >= toDateTime64({from:UInt32} - ${before}, 9, 'UTC') AND time < toDateTime64({to:UInt32} + ${after}, 9, 'UTC')
       AND ${sampled}`;
  const fact = `toStartOfMinute(time) AS minute, weight * {sampling:UInt32} AS counted, status = 'error' AS failed, duration AS took`;
  return `
  SELECT ${place}, minute, source_kind, source, target_kind, target, any(found.system) AS system,
    sum(counted) AS calls, sumIf(counted, failed) AS errors, quantilesDDState(0.01, 0.5, 0.95, 0.99)(took) AS duration
  FROM (
    SELECT ${place}, '' AS source_kind, '' AS source, 'service' AS target_kind, toString(service) AS target, '' AS system, ${fact}
    FROM spans WHERE ${within} AND (kind IN ('server', 'consumer') OR parent_span_id = ${noSpan})

    UNION ALL SELECT child.workspace, child.project, child.environment, child.retention_days, 'service', parent.service, 'service', child.service, '',
      child.minute, child.counted, child.failed, child.took
    FROM (
      SELECT ${place}, toString(service) AS service, trace_id, parent_span_id, ${fact} FROM spans
      WHERE ${within} AND parent_span_id != ${noSpan} AND NOT (kind = 'consumer' AND ${queueSystem} != '')
    ) AS child INNER JOIN (
      SELECT workspace, project, trace_id, span_id, any(toString(spans.service)) AS service FROM spans
      WHERE ${around(600, 60)} AND (trace_id, span_id) IN (SELECT trace_id, parent_span_id FROM spans WHERE ${within} AND parent_span_id != ${noSpan})
      GROUP BY workspace, project, trace_id, span_id
    ) AS parent ON child.workspace = parent.workspace AND child.project = parent.project AND child.trace_id = parent.trace_id AND child.parent_span_id = parent.span_id
    WHERE child.service != parent.service

    UNION ALL SELECT ${place}, callers.1, callers.2, peer.1, peer.2, peer.3, minute, counted, failed, took
    FROM (
      SELECT ${place}, arrayJoin([('service', toString(service)), ('', '')]) AS callers,
        multiIf(${databaseSystem} != '', ('database', ${named(databaseSystem, databaseName)}, ${databaseSystem}),
          ${queueSystem} != '', ('queue', ${named(queueSystem, queueName)}, ${queueSystem}),
          ('external', ${outside}, '')) AS peer, ${fact}
      FROM spans WHERE ${within} AND kind IN ('client', 'producer')
        AND (${databaseSystem} != '' OR ${queueSystem} != '' OR (${outside} != ''
          AND (workspace, project, trace_id, span_id) NOT IN (SELECT workspace, project, trace_id, parent_span_id FROM spans WHERE ${around(10, 120)} AND kind IN ('server', 'consumer'))))
    )

    UNION ALL SELECT ${place}, 'queue', ${named(queueSystem, queueName)}, 'service', toString(service), ${queueSystem}, ${fact}
    FROM spans WHERE ${within} AND kind = 'consumer' AND ${queueSystem} != ''
  ) AS found
  GROUP BY ${place}, minute, source_kind, source, target_kind, target`;
}

const jobSettings = {
  max_execution_time: 50,
  max_memory_usage: String(1024 ** 3),
  max_bytes_before_external_group_by: String(512 * 1024 ** 2),
  join_algorithm: 'grace_hash',
};

/** End of the last derived minute in seconds; undefined: none was derived. */
export async function findDerivedTo(
  read: (statement: string) => Promise<{ readonly last: number; readonly minutes: number }[]>,
): Promise<number | undefined> {
  const [row] = await read(
    'SELECT toUInt32(max(minute)) AS last, toUInt32(count()) AS minutes FROM service_edge_minutes',
  );
  return row === undefined || Number(row.minutes) === 0 ? undefined : Number(row.last) + 60;
}

/** Number of spans that arrived per minute, by its start; minutes without spans are left out. */
export async function countArrived(
  store: Pick<ClickHouse, 'queryRows'>,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, number>> {
  const rows = await store.queryRows<{ at: number; spans: number }>(
    `SELECT toUInt32(minute) AS at, toFloat64(sum(spans)) AS spans FROM span_minutes
     WHERE minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC') GROUP BY minute`,
    { params: { from, to } },
  );
  return new Map(rows.map(({ at, spans }) => [Number(at), Number(spans)]));
}

/**
 * Minutes, of the spans of all tenants, that were never derived or have received spans since, as `at` and `spans`. To be
 * followed by a condition and an order.
 * @param range condition on `minute`, in both tables
 */
const lateMinutes = (range: string) => `
  SELECT toUInt32(stored.minute) AS at, toFloat64(stored.spans) AS spans
  FROM (SELECT minute, sum(span_minutes.spans) AS spans, max(span_minutes.last_at) AS last_at FROM span_minutes
    WHERE ${range} GROUP BY minute) AS stored
  LEFT JOIN (SELECT minute, argMax(service_edge_minutes.arrived, service_edge_minutes.version) AS known, max(service_edge_minutes.version) AS at_version FROM service_edge_minutes
    WHERE ${range} GROUP BY minute) AS derived
    ON stored.minute = derived.minute
  WHERE stored.spans > derived.known`;

/**
 * Minutes before `before` that were never derived or have received spans since, the newest first. Minutes whose spans
 * are still arriving wait, but for ten minutes at most.
 */
export async function listLateMinutes(
  store: Pick<ClickHouse, 'queryRows'>,
  before: number,
  nowMs: number,
  limit: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = await store.queryRows<{ at: number; spans: number }>(
    `${lateMinutes(`minute < toDateTime({before:UInt32}, 'UTC')`)}
       AND (stored.last_at < toDateTime({quiet:UInt32}, 'UTC') OR (derived.at_version > 0 AND derived.at_version < {waited:UInt64}))
     ORDER BY at DESC LIMIT {limit:UInt32}`,
    { params: { before, quiet: Math.floor(nowMs / 1000) - 60, waited: nowMs - 600_000, limit } },
  );
  return new Map(rows.map(({ at, spans }) => [Number(at), Number(spans)]));
}

/** The newest minutes of a window with spans that its derived edges do not contain, of all tenants, newest first. */
export async function listLateOf(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Minutes,
  limit: number,
  signal: AbortSignal,
): Promise<{ at: number; spans: number }[]> {
  const rows = await telemetry.rows<{ at: number; spans: number }>(
    scope,
    `${lateMinutes(windowRange)} ORDER BY at DESC LIMIT {limit:UInt32}`,
    { window_from: window.from, window_to: window.to, limit },
    signal,
  );
  return rows.map(({ at, spans }) => ({ at: Number(at), spans: Number(spans) }));
}

/**
 * Number of spans of a tenant that were not derived, per minute, by its start. Minutes without any are left out, and so
 * are those of which the derivation contains all.
 */
export async function countLive(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  minutes: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  if (minutes.length === 0) return new Map();
  const rows = await telemetry.rows<{ at: number; spans: number }>(
    scope,
    `SELECT toUInt32(minute) AS at, toFloat64(sum(stored)) AS spans FROM (
       SELECT toStartOfMinute(time) AS minute, count() AS stored, 0. AS known FROM spans WHERE ${inScope(scope)} AND ${began} GROUP BY minute
       UNION ALL SELECT minute, 0, sum(calls) FROM service_edges WHERE ${inScope(scope)} AND minute IN ${times('minutes')} AND ${isCount}
         AND (minute, version) IN (SELECT minute, max(version) FROM service_edge_minutes WHERE minute IN ${times('minutes')} GROUP BY minute) GROUP BY minute)
     GROUP BY at HAVING spans > sum(known)`,
    minuteParameters(minutes),
    signal,
  );
  return new Map(rows.map(({ at, spans }) => [Number(at), Number(spans)]));
}

/**
 * Beside its edges, a derivation has a row without a target for each place, whose calls are the number of spans that it
 * was derived from, all of them if it is a sample. Derivations of older versions have none.
 */
const isCount = `target_kind = ''`;
const counts = `SELECT ${place}, toStartOfMinute(time) AS minute, '', '', '', '', '', toFloat64(count()), 0., quantilesDDState(0.01, 0.5, 0.95, 0.99)(duration)
  FROM spans WHERE ${began} GROUP BY ${place}, minute`;

/** Derives minutes of all tenants. A repeated run replaces the earlier result. */
export async function derivePortion(
  store: Pick<ClickHouse, 'command'>,
  { from, arrived }: Portion,
  version: number,
  signal: AbortSignal,
): Promise<void> {
  const spans = arrived.reduce((sum, of) => sum + of, 0);
  const params = {
    ...minuteParameters(arrived.map((_, index) => from + 60 * index)),
    sampling: Math.max(1, Math.ceil(spans / maxSpansOfPortion)),
    version,
  };
  // The counts first: a span that arrives in between is then derived and not counted, so it counts as late.
  for (const rows of spans > 0 ? [counts, edges('true')] : [])
    await store.command(
      `INSERT INTO service_edges (${place}, minute, source_kind, source, target_kind, target, system, calls, errors, duration, version)
       SELECT *, {version:UInt64} FROM (${rows})`,
      { params, settings: jobSettings, signal },
    );
  await store.command(
    `INSERT INTO service_edge_minutes (minute, version, arrived)
     SELECT toDateTime({from:UInt32} + 60 * (index - 1), 'UTC'), {version:UInt64}, spans
     FROM (SELECT {arrived:Array(UInt64)} AS counts) ARRAY JOIN counts AS spans, arrayEnumerate(counts) AS index`,
    { params: { from, version, arrived }, signal },
  );
}

const windowRange = `minute >= toDateTime({window_from:UInt32}, 'UTC') AND minute < toDateTime({window_to:UInt32}, 'UTC')`;

/** Edges of a window of whole minutes: the derived ones, except for the minutes that are derived now. */
export async function listEdges(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Minutes,
  live: LiveMinutes,
  signal: AbortSignal,
): Promise<EdgeRow[]> {
  const { minutes, sampling } = live;
  const columns = 'source_kind, source, target_kind, target, system, calls, errors, duration';
  const isLive = minutes.length > 0;
  const derived = `SELECT ${columns} FROM service_edges WHERE ${inScope(scope)} AND ${windowRange} AND NOT ${isCount}
    ${isLive ? `AND minute NOT IN ${times('minutes')}` : ''}
    AND (minute, version) IN (SELECT minute, max(version) FROM service_edge_minutes WHERE ${windowRange} GROUP BY minute)`;
  const now = isLive ? `UNION ALL SELECT ${columns} FROM (${edges(inScope(scope))})` : '';
  return telemetry.rows<EdgeRow>(
    scope,
    `SELECT toString(source_kind) AS source_kind, toString(source) AS source, toString(target_kind) AS target_kind, toString(target) AS target,
       max(toString(system)) AS system, sum(calls) AS calls, sum(errors) AS errors,
       arrayMap(d -> if(isFinite(d), d, NULL), quantilesDDMerge(0.01, 0.5, 0.95, 0.99)(duration)) AS durations
     FROM (${derived} ${now}) GROUP BY source_kind, source, target_kind, target ORDER BY calls DESC LIMIT 20000`,
    {
      window_from: window.from,
      window_to: window.to,
      ...(isLive && { ...minuteParameters(minutes), sampling }),
    },
    signal,
  );
}
