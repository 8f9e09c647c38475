import type { Executor } from '../../platform/postgres/database.ts';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../platform/scoped-telemetry.ts';
import type { Window } from '../../platform/time-window.ts';
import type { Arrived, Refused, Signal, Stored } from './rules.ts';

export interface ProjectRow {
  readonly id: string;
  readonly number: number;
  readonly key: string;
  readonly name: string;
}

/** Live projects by key; the one that is named, where one is. */
export async function listProjects(db: Executor, workspaceId: string, projectId: string | undefined) {
  let query = db
    .selectFrom('projects')
    .select(['id', 'number', 'key', 'name'])
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

/** What has arrived of each signal, in the window and within its retention. */
export async function listArrived(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  retention: { readonly days: number; readonly nowMs: number },
  signal: AbortSignal,
): Promise<Arrived[]> {
  return telemetry.rows<Arrived>(
    scope,
    `SELECT project, signal, toFloat64(sumIf(items, ${hours})) AS items_in_window, toFloat64(sumIf(bytes, ${hours})) AS bytes_in_window,
       toFloat64(sumIf(items, hour >= toDateTime({kept_from:UInt32}, 'UTC'))) AS items_kept,
       toString(toUnixTimestamp64Milli(max(last_at))) AS last_ms
     FROM arrivals WHERE ${inScope(scope)} GROUP BY project, signal`,
    { ...bounds(window), kept_from: Math.max(0, Math.floor(retention.nowMs / 1000) - retention.days * 86_400) },
    signal,
  );
}

const tablesOf: Readonly<Record<Signal, readonly string[]>> = {
  traces: ['spans'],
  logs: ['logs'],
  metrics: ['metric_points', 'metric_histograms'],
  profiles: ['profile_samples'],
};

/** Rows and bytes of the tables of each signal, of all tenants: what a row takes on average. */
export async function listStored(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  signal: AbortSignal,
): Promise<Stored[]> {
  const rows = await telemetry.rows<{ table: string; rows: number; bytes: number }>(
    scope,
    `SELECT table, toFloat64(sum(rows)) AS rows, toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts
     WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)} GROUP BY table`,
    { tables: Object.values(tablesOf).flat() },
    signal,
  );
  return Object.entries(tablesOf).map(([name, tables]) => {
    const own = rows.filter(({ table }) => tables.includes(table));
    return {
      signal: name as Signal,
      rows: own.reduce((sum, row) => sum + row.rows, 0),
      bytes: own.reduce((sum, row) => sum + row.bytes, 0),
    };
  });
}

export async function listRefused(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  window: Window,
  signal: AbortSignal,
): Promise<Refused[]> {
  return telemetry.rows<Refused>(
    scope,
    `SELECT project, signal, toString(kind) AS kind, reason, toFloat64(sum(items)) AS items
     FROM ingest_refusals WHERE ${inScope(scope)} AND ${hours} GROUP BY project, signal, kind, reason ORDER BY items DESC LIMIT 1000`,
    bounds(window),
    signal,
  );
}

const days = `day >= toDate(toDateTime({from:UInt32}, 'UTC')) AND day <= toDate(toDateTime({to:UInt32}, 'UTC'))`;

/** Different series of each project, and of its metrics with the most. */
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

/** Names of attributes of each project, and those with the most different values. */
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
           GROUP BY project, source, scope, name ORDER BY distinct_values DESC, name)
     GROUP BY project`,
    { ...bounds(window), worst },
    signal,
  );
}
