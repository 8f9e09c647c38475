/** Identifies one column in the whole plan of a query. It is printed as `c<id>`, so users' names are never printed. */
export type ColumnId = number;

export type ParameterType =
  | 'String'
  | 'Int64'
  | 'UInt32'
  | 'UInt64'
  | 'Float64'
  | `Array(${'String' | 'Int64' | 'Float64'})`;
/** 64-bit integers are text, since JSON and JavaScript would round them. */
export type ParameterValue = string | number | readonly string[] | readonly number[];

/**
 * SQL as a tree. Its text comes only from the source code of this package (`sql` is a template tag, and TypeScript passes a
 * tag only literals). User input is always a bound parameter.
 */
export type Sql =
  | {
      readonly kind: 'text';
      readonly parts: readonly string[];
      readonly args: readonly Sql[];
      /** Makes the statement fail for some values of its first argument. */
      readonly isCheck?: true;
    }
  | { readonly kind: 'column'; readonly id: ColumnId }
  | { readonly kind: 'parameter'; readonly type: ParameterType; readonly value: ParameterValue }
  | AggregateCall
  | {
      readonly kind: 'query';
      readonly plan: Plan;
      readonly columns: readonly ColumnId[];
      /** Only which values occur matters, not how often. */
      readonly asSet?: true;
    };

/** An aggregate function of ClickHouse; a separate kind, since it can also be printed as its `State` or `Merge` form. */
export interface AggregateCall {
  readonly kind: 'aggregate';
  readonly fn: string;
  /** Parameters before the arguments: the level of a quantile. */
  readonly parameters: readonly number[];
  readonly args: readonly Sql[];
}

/** A half-open window [from, to) in nanoseconds since the epoch. */
export interface Window {
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

export interface Definition {
  readonly id: ColumnId;
  readonly value: Sql;
  /** Beside aggregates: it is the same for every group, and no aggregate. */
  readonly constant?: true;
}

export interface Order {
  readonly value: Sql;
  readonly descending: boolean;
}

/** The tables of the telemetry store. */
export type Table =
  | 'logs'
  | 'spans'
  | 'trace_index'
  | 'metric_points'
  | 'metric_histograms'
  | 'metric_series'
  | 'metric_rollups'
  | 'exemplars'
  | 'field_usage'
  | 'profile_samples'
  | 'profile_stacks'
  | 'flag_events'
  /** No table of the store: its rows are bound to the statement. */
  | 'changes';

/**
 * What a query does, as nodes without logic. Plans do not contain tenants: `print` adds workspace, project and environment
 * to every scan, so that no plan can omit them.
 */
export type Plan =
  | Scan
  | { readonly op: 'filter'; readonly input: Plan; readonly predicate: Sql }
  | {
      readonly op: 'extend';
      readonly input: Plan;
      readonly columns: readonly Definition[];
      /** In a SELECT of its own: the store names a value by its whole text, which grows with each value that uses another. */
      readonly apart?: true;
    }
  /** Columns computed by window functions, which see all rows of their input. */
  | { readonly op: 'window'; readonly input: Plan; readonly columns: readonly Definition[] }
  | {
      readonly op: 'aggregate';
      readonly input: Plan;
      readonly keys: readonly Definition[];
      readonly aggregates: readonly Definition[];
      readonly finer?: FinerKeys;
      /** The order of the input matters to its aggregates. */
      readonly inOrder?: true;
      /** Aggregates that return any value of their argument, which is the same in all rows of a group. */
      readonly alike?: ReadonlySet<ColumnId>;
    }
  | { readonly op: 'sort'; readonly input: Plan; readonly orders: readonly Order[] }
  | { readonly op: 'limit'; readonly input: Plan; readonly count: number; readonly offset: number }
  /** The first rows of each combination of `by`, by default one; `follows` are columns that are equal where these are. */
  | {
      readonly op: 'distinct';
      readonly input: Plan;
      readonly by: readonly Sql[];
      readonly count?: number;
      readonly follows?: readonly ColumnId[];
    }
  /** One row per element of arrays of equal length. */
  | { readonly op: 'unnest'; readonly input: Plan; readonly columns: readonly Definition[] }
  | { readonly op: 'union'; readonly inputs: readonly Plan[]; readonly columns: readonly UnionColumn[] }
  | Join
  | Fill;

/** Additional keys that only some aggregates need: if none of these is read, rows are not grouped by them. */
export interface FinerKeys {
  readonly keys: readonly Definition[];
  readonly of: readonly ColumnId[];
}

/** The milliseconds of a point's time as they are stored: with `nanos`, the end of the order key. `time` has nanoseconds. */
export const STORED_TIME = 'stored_time';

/** Reads a table within a window of time; `columns` are the requested ones, by their names in the schema. */
export interface Scan {
  readonly op: 'scan';
  readonly table: Table;
  readonly window: Window;
  /** Reads rows that are this much earlier, and adds the same amount to their times. Only for metrics. */
  readonly shiftNs?: bigint;
  /** Scans of points, and of the series that these are joined with, share one: all series are known to be of these kinds. */
  readonly kinds?: KnownKinds;
  readonly columns: Map<string, ColumnId>;
}

export type KnownKinds = readonly { readonly kind: string; readonly temporality: string }[];

/** A column of a union, and its value in each input. */
export interface UnionColumn {
  readonly id: ColumnId;
  readonly values: readonly Sql[];
}

export interface Join {
  readonly op: 'join';
  readonly mode: 'inner' | 'left' | 'anti' | 'semi';
  readonly left: Plan;
  readonly right: Plan;
  readonly on: readonly { readonly left: Sql; readonly right: Sql }[];
  /** A further condition on a pair of rows. */
  readonly condition?: Sql;
  /** Each row of the left has exactly one partner: if no column of the right is read, the join is not needed. */
  readonly lookup?: true;
}

/** Adds missing rows at every step of a range, for each combination of keys; their other columns are null. */
export interface Fill {
  readonly op: 'fill';
  readonly input: Plan;
  /** A time, or the number of a bucket. */
  readonly step: ColumnId;
  /** The first step, the end of the range, which is not a step, and the distance of two steps. They read no column. */
  readonly range: { readonly from: Sql; readonly to: Sql; readonly by: Sql };
  readonly keys: readonly ColumnId[];
}

/** The id of a column of the table in this scan. Requesting it makes the scan read the column. */
export function scanColumn(scan: Scan, name: string, fresh: () => ColumnId): ColumnId {
  const known = scan.columns.get(name);
  if (known !== undefined) return known;
  const id = fresh();
  scan.columns.set(name, id);
  return id;
}
