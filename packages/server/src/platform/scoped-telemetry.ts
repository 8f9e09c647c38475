import type { QueryLimits } from './clickhouse/index.ts';
import type { Window } from './time-window.ts';

/** The telemetry that a statement may read: the numbers that the control plane assigns, and environments by name. */
export interface TelemetryScope {
  readonly workspace: number;
  readonly project: number | undefined;
  readonly environment: string | undefined;
}

/** The scope of a request to a route with `scopeIn`. */
/** The scope of a query in the form of the compiler. */
export function scopeToCompile({ workspace, project, environment }: TelemetryScope) {
  return { workspace, ...(project !== undefined && { project }), ...(environment !== undefined && { environment }) };
}

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

/** The condition that every statement over a tenant's table must contain; `rows` binds its parameters. */
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
 * The same for spans and logs, whose order key has `time` rounded to five minutes as its second column. Without a
 * condition on that column the engine uses `time` itself, which is the last one, and reads whole days.
 */
export function inOrderedWindow(prefix = ''): string {
  const bound = (name: string) => `toStartOfFiveMinutes(fromUnixTimestamp64Nano({${prefix}${name}:Int64}, 'UTC'))`;
  return `${inWindow('time', prefix)} AND toStartOfFiveMinutes(time) BETWEEN ${bound('from')} AND ${bound('to')}`;
}
export function windowParameters({ fromNs, toNs }: Window, prefix = ''): Record<string, string> {
  return { [`${prefix}from`]: String(fromNs), [`${prefix}to`]: String(toNs) };
}

/** A table of the telemetry store that holds tenants' rows. */
export interface TenantTable {
  readonly name: string;
  /**
   * SQL: whether a row is of a time before `{before:UInt32}` (Unix seconds), for the removal of an environment whose key may
   * be used again.
   * @param place the condition that a row is of the removed place
   */
  readonly isBefore: (place: string) => string;
  /**
   * SQL: whether a row is to be deleted because it has the attribute `{attribute:String}` with the value `{value:String}`. Missing where
   * rows have no attributes.
   * @param place the condition that a row is of the project
   */
  readonly holds?: (place: string) => string;
  /** The same as `isBefore` for every read while the rows are being deleted; needed where `isBefore` reads other tables. */
  readonly isHidden?: string;
}

/** A removed project or environment. */
export interface HiddenPlace {
  readonly project: number;
  /** Undefined: all environments of the project. */
  readonly environment: string | undefined;
  /** Unix seconds. What an environment of the same key has sent since is visible; undefined: nothing is. */
  readonly before: number | undefined;
}

/** Removed places, from the commit of their removal until nothing of them can be stored any longer. */
export interface HiddenPlaces {
  of(workspace: number): Promise<readonly HiddenPlace[]>;
  /** Calls back when a place of a workspace was removed; undefined: of any. Returns a function that ends this. */
  onRemoved(listener: (workspace: number | undefined) => void): () => void;
}

/**
 * A second fence behind the statement's own condition: the store itself adds the tenant to every table, without places
 * that were removed.
 * @param tables every table with tenants' rows
 * @param hidden removed places of the workspace
 */
export function fence(
  { workspace, project }: TelemetryScope,
  tables: readonly TenantTable[],
  hidden: readonly HiddenPlace[],
): Record<string, string> {
  const own = `workspace = ${workspace}${project === undefined ? '' : ` AND project = ${project}`}`;
  const inScope = hidden.filter((place) => project === undefined || place.project === project);
  const whole = inScope.filter(({ environment }) => environment === undefined).map((place) => place.project);
  const alone = whole.length === 0 ? own : `${own} AND project NOT IN (${whole.join(', ')})`;
  const environments = inScope.filter(({ environment }) => environment !== undefined);
  const conditions = tables.map((table) => {
    const visible = [alone, ...environments.map((place) => `NOT (${hiddenRows(place, table)})`)].join(' AND ');
    return `'${table.name}':'${escaped(visible)}'`;
  });
  return { additional_table_filters: `{${conditions.join(',')}}` };
}

function hiddenRows({ project, environment = '', before = 0 }: HiddenPlace, table: TenantTable): string {
  const place = `project = ${project} AND environment = '${escaped(environment)}'`;
  return `${place} AND ${(table.isHidden ?? table.isBefore(place)).replaceAll('{before:UInt32}', String(before))}`;
}

function escaped(text: string): string {
  return text.replace(/[\\']/g, '\\$&');
}

/** Reads of a tenant's telemetry with a feature's own SQL, in one lane of the query gateway (`platform/gateway`). */
export interface ScopedTelemetry {
  /**
   * Runs a statement that has {@link inScope} in each of its scans, once a slot is free; returns rows as objects.
   * Throws `QUERY_TOO_EXPENSIVE` at a limit, `RESULT_TOO_LARGE`, `QUERY_QUEUE_FULL` and `STORE_UNAVAILABLE`.
   * @param params bound as `{name:Type}`, in addition to the scope's
   * @param more settings that the statement needs, and limits that differ from the server's own
   */
  rows<Row extends object>(
    scope: TelemetryScope,
    statement: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    more?: { settings?: Readonly<Record<string, string | number>>; limits?: Partial<QueryLimits> },
  ): Promise<Row[]>;
}
