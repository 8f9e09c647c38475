import type { Executor } from '../../../platform/postgres/database.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Arrived, Evaluated, Interval, Kept, Refused, Signal, Stored } from './rules.ts';

export interface ProjectRow {
  readonly id: string;
  readonly number: number;
  readonly key: string;
  readonly name: string;
  /** Days by signal, if the project has chosen. */
  readonly retention: Partial<Record<string, number>>;
}

/** Live projects by key; only the named one, if given. */
export async function listProjects(db: Executor, workspaceId: string, projectId: string | undefined) {
  let query = db
    .selectFrom('projects')
    .select(['id', 'number', 'key', 'name', 'retention'])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .orderBy('key');
  if (projectId !== undefined) query = query.where('id', '=', projectId);
  return query.execute() satisfies Promise<ProjectRow[]>;
}

function bounds({ fromNs, toNs }: Window) {
  return { from: Number(fromNs / 1_000_000_000n), to: Number((toNs + 999_999_999n) / 1_000_000_000n) };
}
const hours = `hour >= toStartOfHour(toDateTime({from:UInt32}, 'UTC')) AND hour < toDateTime({to:UInt32}, 'UTC')`;

/** What has arrived of each signal in the window, and the time of the last arrival. */
export async function listArrived(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  signal: AbortSignal,
): Promise<Arrived[]> {
  return telemetry.rows<Arrived>(
    scope,
    `SELECT project, signal, toFloat64(sumIf(items, ${hours})) AS items_in_window, toFloat64(sumIf(bytes, ${hours})) AS bytes_in_window,
       toString(toUnixTimestamp64Milli(max(last_at))) AS last_ms
     FROM arrivals WHERE ${inScope(scope)} GROUP BY project, signal`,
    bounds(window),
    signal,
  );
}

/**
 * Stored rows of each signal. The roll-up of fields counts them exactly and expires with them, whatever the retention
 * was when they arrived. It does not contain metric points; these are estimated by the arrivals within the present
 * retention.
 */
export async function listKept(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  metrics: readonly { readonly project: number; readonly keptFrom: number }[],
  signal: AbortSignal,
): Promise<Kept[]> {
  return telemetry.rows<Kept>(
    scope,
    `SELECT project, if(field_usage.signal = 'spans', 'traces', toString(field_usage.signal)) AS signal, toFloat64(sum(rows)) AS rows FROM field_usage
     WHERE ${inScope(scope)} AND field_usage.signal IN ('spans', 'logs', 'profiles') AND scope = 'field' AND name = 'service.name' GROUP BY project, signal
     UNION ALL
     SELECT project, 'metrics' AS signal, toFloat64(sum(items)) AS rows FROM arrivals
     WHERE ${inScope(scope)} AND arrivals.signal = 'metrics'
       AND toUnixTimestamp(hour) >= transform(project, {projects:Array(UInt32)}, {kept_from:Array(UInt32)}, toUInt32(0)) GROUP BY project`,
    { projects: metrics.map(({ project }) => project), kept_from: metrics.map(({ keptFrom }) => keptFrom) },
    signal,
  );
}

/** The tables of evaluations, in the same form. */
const evaluationTables = { items: ['flag_events'], beside: ['flag_evaluations', 'exposures'] } as const;

/** The tables of each signal: those with a row per item, and accompanying ones. */
const tablesOf: Readonly<Record<Signal, { readonly items: readonly string[]; readonly beside: readonly string[] }>> = {
  traces: { items: ['spans'], beside: ['trace_index'] },
  logs: { items: ['logs'], beside: [] },
  metrics: { items: ['metric_points', 'metric_histograms'], beside: ['metric_series', 'exemplars'] },
  profiles: { items: ['profile_samples'], beside: ['profile_stacks'] },
};

/** Items and bytes of each signal's tables over all tenants, for the average size of an item. */
export async function listStored(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  signal: AbortSignal,
): Promise<{ readonly signals: Stored[]; readonly evaluations: { readonly rows: number; readonly bytes: number } }> {
  // On a cluster these are the tables of one server, which is enough for an average.
  const parts = await telemetry.rows<{ name: string; rows: number; bytes: number }>(
    scope,
    `SELECT replaceRegexpOne(table, '_local$', '') AS name, toFloat64(sum(rows)) AS rows, toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts
     WHERE active AND database = currentDatabase() AND name IN {tables:Array(String)} GROUP BY name`,
    { tables: [...Object.values(tablesOf), evaluationTables].flatMap(({ items, beside }) => [...items, ...beside]) },
    signal,
  );
  const sum = (names: readonly string[], of: 'rows' | 'bytes') =>
    parts.filter(({ name }) => names.includes(name)).reduce((all, part) => all + part[of], 0);
  const of = ({ items, beside }: { readonly items: readonly string[]; readonly beside: readonly string[] }) => ({
    rows: sum(items, 'rows'),
    bytes: sum([...items, ...beside], 'bytes'),
  });
  const signals = Object.entries(tablesOf).map(([name, tables]) => ({ signal: name as Signal, ...of(tables) }));
  return { signals, evaluations: of(evaluationTables) };
}

/** Flag evaluations reported by the server and by clients, and the number of stored rows. */
export async function listEvaluations(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  signal: AbortSignal,
): Promise<Evaluated[]> {
  const minutes = `minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC')`;
  return telemetry.rows<Evaluated>(
    scope,
    `SELECT project, toFloat64(sum(answered)) AS answered, toFloat64(sum(reported)) AS reported, toFloat64(sum(kept)) AS rows, toString(max(last)) AS last_ms
     FROM (
       SELECT project, sumIf(evaluations, source = 'server' AND ${minutes}) AS answered, sumIf(evaluations, source = 'otlp' AND ${minutes}) AS reported,
         toUInt64(0) AS kept, toInt64(0) AS last FROM flag_evaluations WHERE ${inScope(scope)} GROUP BY project
       UNION ALL
       SELECT project, toUInt64(0), toUInt64(0), count(), toUnixTimestamp64Milli(toDateTime64(max(time), 3, 'UTC'))
       FROM flag_events WHERE ${inScope(scope)} GROUP BY project)
     GROUP BY project`,
    bounds(window),
    signal,
  );
}

/** What arrived in each step of the window. @param step seconds: an hour or a day */
export async function listHistory(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  step: number,
  signal: AbortSignal,
): Promise<Interval[]> {
  const at = `intDiv(toUnixTimestamp(hour), {step:UInt32}) * {step:UInt32} AS at`;
  return telemetry.rows<Interval>(
    scope,
    `SELECT project, signal, toFloat64(at) AS at, toFloat64(sum(arrived)) AS items, toFloat64(sum(received)) AS bytes, toFloat64(sum(refused)) AS lost
     FROM (
       SELECT project, signal, ${at}, sum(items) AS arrived, sum(bytes) AS received, toUInt64(0) AS refused
       FROM arrivals WHERE ${inScope(scope)} AND ${hours} GROUP BY project, signal, at
       UNION ALL
       SELECT project, signal, ${at}, toUInt64(0), toUInt64(0), sum(items)
       FROM ingest_refusals WHERE ${inScope(scope)} AND ${hours} AND kind NOT IN ('refused', 'repeated') GROUP BY project, signal, at)
     GROUP BY project, signal, at ORDER BY project, at, signal`,
    { ...bounds(window), step },
    signal,
  );
}

/** Reasons listed per kind; the totals include the others. */
const reasonsNamed = 20;

export async function listRefused(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  signal: AbortSignal,
): Promise<Refused[]> {
  return telemetry.rows<Refused>(
    scope,
    `SELECT project, signal, toString(kind) AS kind, reason, toFloat64(sum(items)) AS items, sum(items) OVER (PARTITION BY project, signal, kind) AS total
     FROM ingest_refusals WHERE ${inScope(scope)} AND ${hours} GROUP BY project, signal, kind, reason
     ORDER BY items DESC, reason LIMIT ${reasonsNamed} BY project, signal, kind`,
    bounds(window),
    signal,
  );
}

const days = `day >= toDate(toDateTime({from:UInt32}, 'UTC')) AND day <= toDate(toDateTime({to:UInt32}, 'UTC'))`;

/** Distinct series of each project, and of its metrics with the most. */
export async function listSeries(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  worst: number,
  signal: AbortSignal,
): Promise<{ project: number; count: number; worst: [string, number][] }[]> {
  return telemetry.rows(
    scope,
    `SELECT project, toFloat64(sum(series_of_metric)) AS count, arraySlice(groupArray((toString(metric), toFloat64(series_of_metric))), 1, {worst:UInt16}) AS worst
     FROM (SELECT project, metric, uniqExact(series) AS series_of_metric FROM metric_series WHERE ${inScope(scope)} AND ${days}
           GROUP BY project, metric ORDER BY series_of_metric DESC, metric)
     GROUP BY project`,
    { ...bounds(window), worst },
    signal,
  );
}

/** Attribute names of each project, and those with the most distinct values. */
export async function listAttributes(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  worst: number,
  signal: AbortSignal,
): Promise<{ project: number; names: number; worst: [string, string, string, number][] }[]> {
  return telemetry.rows(
    scope,
    `SELECT project, toFloat64(count()) AS names, arraySlice(groupArray((toString(source), toString(scope), toString(name), toFloat64(distinct_values))), 1, {worst:UInt16}) AS worst
     FROM (SELECT project, field_usage.signal AS source, scope, name, uniqCombinedMerge(12)(values) AS distinct_values FROM field_usage
           WHERE ${inScope(scope)} AND scope != 'field' AND bucket >= toDateTime(toDate(toDateTime({from:UInt32}, 'UTC')), 'UTC') AND bucket < toDateTime({to:UInt32}, 'UTC')
           GROUP BY project, source, scope, name ORDER BY distinct_values DESC, name, source, scope)
     GROUP BY project`,
    { ...bounds(window), worst },
    signal,
  );
}
