import { type ClickHouse, type QueryLimits, regexFaultOf, storeErrorCode, valueFaultOf } from './clickhouse/index.ts';
import { fail } from './fail.ts';
import type { Window } from './time-window.ts';

/** Whose telemetry a statement may see: numbers as the control plane gives them out, environments by name. */
export interface TelemetryScope {
  readonly workspace: number;
  readonly project: number | undefined;
  readonly environment: string | undefined;
}

/** What a route with `scopeIn` knows of its caller, as a scope. */
export function scopeOf(context: {
  readonly workspace: { readonly number: number };
  readonly narrowed: {
    readonly project: { readonly number: number } | undefined;
    readonly environment: string | undefined;
  };
}): TelemetryScope {
  const { workspace, narrowed } = context;
  return { workspace: workspace.number, project: narrowed.project?.number, environment: narrowed.environment };
}

/** The condition that every statement over a tenant's table has; its parameters are bound by `rows`. */
export function inScope({ project, environment }: TelemetryScope): string {
  return [
    'workspace = {workspace:UInt32}',
    ...(project === undefined ? [] : ['project = {project:UInt32}']),
    ...(environment === undefined ? [] : ['environment = {environment:String}']),
  ].join(' AND ');
}

/** `column` within the half-open window that {@link windowParameters} binds. */
export function inWindow(column = 'time', prefix = ''): string {
  const bound = (name: string) => `fromUnixTimestamp64Nano({${prefix}${name}:Int64}, 'UTC')`;
  return `${column} >= ${bound('from')} AND ${column} < ${bound('to')}`;
}
/**
 * The same for spans and logs, whose order key has `time` cut to five minutes as its second column: without a condition on
 * that the engine looks for `time` itself, which is the last one, and reads whole days.
 */
export function inOrderedWindow(prefix = ''): string {
  const bound = (name: string) => `toStartOfFiveMinutes(fromUnixTimestamp64Nano({${prefix}${name}:Int64}, 'UTC'))`;
  return `${inWindow('time', prefix)} AND toStartOfFiveMinutes(time) BETWEEN ${bound('from')} AND ${bound('to')}`;
}
export function windowParameters({ fromNs, toNs }: Window, prefix = ''): Record<string, string> {
  return { [`${prefix}from`]: String(fromNs), [`${prefix}to`]: String(toNs) };
}

/** Every table that has tenants; the fence names them all. */
export const tenantTables = [
  'spans',
  'logs',
  'metric_series',
  'metric_points',
  'metric_histograms',
  'exemplars',
  'trace_index',
  'arrivals',
  'profile_samples',
  'profile_stacks',
  'field_usage',
  'service_edges',
  'ingest_refusals',
  'flag_events',
  'flag_evaluations',
  'exposures',
] as const;

/** A second fence behind the statement's own condition: the store itself adds the tenant to every table. */
export function fence({ workspace, project }: TelemetryScope): Record<string, string> {
  const own = `workspace = ${workspace}${project === undefined ? '' : ` AND project = ${project}`}`;
  return { additional_table_filters: `{${tenantTables.map((table) => `'${table}':'${own}'`).join(',')}}` };
}

/** Reads of a tenant's telemetry for routes that write their own SQL. */
export interface ScopedTelemetry {
  /**
   * Runs a statement that has {@link inScope} in each of its scans, in the workspace's turn; rows come as objects.
   * Throws `QUERY_TOO_EXPENSIVE` at a limit, `QUERY_QUEUE_FULL` and `STORE_UNAVAILABLE`.
   * @param params bound as `{name:Type}`, beside the scope's own
   * @param settings that the statement counts on
   */
  rows<Row extends object>(
    scope: TelemetryScope,
    statement: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    settings?: Readonly<Record<string, number>>,
  ): Promise<Row[]>;
}

const limits: QueryLimits = {
  maxSeconds: 15,
  maxRowsToRead: 500_000_000,
  maxMemoryBytes: 1024 ** 3,
  maxResultRows: 200_000,
};

/** @param pass waits for the workspace's turn */
export function createScopedTelemetry({
  clickhouse,
  pass,
}: {
  clickhouse: Pick<ClickHouse, 'queryRows'>;
  pass: <T>(workspace: number, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
}): ScopedTelemetry {
  return {
    rows: (scope, statement, params, signal, settings) =>
      pass(scope.workspace, signal, () =>
        clickhouse
          .queryRows(statement, {
            params: { ...scope, ...params },
            settings: { ...settings, ...fence(scope) },
            limits,
            signal,
          })
          .catch(explain),
      ) as never,
  };
}

/** ClickHouse's codes for its limits, in words. */
const limitReasons: Readonly<Record<number, string>> = {
  158: 'it would read too many rows; narrow the time window',
  159: `it ran longer than ${limits.maxSeconds} s; narrow the time window`,
  160: 'the store estimates that it would take too long; narrow the time window',
  241: 'it needs too much memory; narrow the time window',
  396: 'the result has too many rows; narrow the time window',
};
/** UNKNOWN_TABLE and UNKNOWN_DATABASE: the store starts for the first time. TOO_MANY_SIMULTANEOUS_QUERIES passes too. */
const passingCodes = new Set([60, 81, 202]);

function explain(error: unknown): never {
  const code = storeErrorCode(error);
  const reason = code === undefined ? undefined : limitReasons[code];
  if (reason !== undefined) throw fail('QUERY_TOO_EXPENSIVE', { reason }, { cause: error });
  const fault = regexFaultOf(error) ?? valueFaultOf(error);
  if (fault !== undefined) throw fail('OQL_INVALID', { reason: fault }, { cause: error });
  if (code === undefined || passingCodes.has(code))
    throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' }, { retryAfterSeconds: 2, cause: error });
  throw error;
}
