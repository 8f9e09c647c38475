import type { Calendar } from '../calendar/buckets.ts';
import type { Plan, Window } from '../plan/plan.ts';
import type { ColumnId, Sql } from '../sql/sql.ts';
import type { Stage } from '../syntax/ast.ts';
import type { MetricRollUps } from './catalogue.ts';
import type { Value } from './value.ts';

export interface Column {
  readonly name: string;
  readonly value: Value;
}

/** The rows of a signal as they are stored: queries can read all their fields, besides derived columns. */
export interface Rows {
  readonly signal: SignalName;
  /** A field that every row has, by its name; undefined if there is none. */
  intrinsic(name: string): Value | undefined;
  readonly intrinsics: readonly string[];
  /** The order key or index of the table that a condition on a field uses. */
  indexOf(name: string): string | null;
  /** Describes a field in one sentence. */
  docOf(name: string): string;
  /** Absent if rows have no attributes of their own. The first key that a row has counts. */
  attribute?(scope: AttributeScope, keys: readonly AttributeKey[]): Value;
  /** No instrumentation scope is stored for them. */
  readonly unscoped?: true;
  /** The fields that a query without `fields` returns. */
  readonly defaults: readonly string[];
  /** The field that an aggregate without an argument uses (`metric x | sum`). */
  readonly subject?: string;
  /** Present if each row is a group of rows that aggregates are computed over: the spans of a trace. */
  readonly inner?: InnerRows;
  /** Present for the points of a metric as they are stored. */
  readonly points?: MetricPoints;
}

export interface InnerRows {
  readonly relation: Relation;
  /** Turns an aggregate of the group's rows into a column of the group. */
  readonly aggregated: (value: Sql) => Sql;
}

/** Looks up series: the columns of `about`, for each series. */
export interface SeriesLookup {
  readonly plan: Plan;
  readonly series: ColumnId;
  readonly columns: ReadonlyMap<string, ColumnId>;
}

/** Whether some series of a metric are known to be histograms or summaries, or all are summaries; `several`: the rows belong to several metrics. */
export type Histograms = 'none' | 'some' | 'summaries' | 'several' | 'unknown';

/** Properties of a series that decide how its points are read. */
export type SeriesTrait = 'delta' | 'exponential_histogram';

/**
 * A histogram in Prometheus' text format: a counter for each bucket, with its upper bound as the label `le`, plus `NAME_sum`
 * and `NAME_count`. The count of a bucket includes those of all lower ones.
 */
export interface Classic {
  readonly buckets: string;
  readonly sum: string;
}

/** The points of a metric, for functions that compare consecutive points. */
export interface MetricPoints {
  readonly histograms: Histograms;
  /** Present if its numbers are read as the buckets of histograms. */
  readonly classic?: Classic & {
    /** The condition that excludes the sums of the histograms, which are read together with the buckets. */ readonly isOwn: Sql;
  };
  /** Present if they may be such buckets and the query reads each bucket on its own. */
  readonly bucketsOf?: string;
  readonly series: Sql;
  /** A column of a point or of its series, by its name in the schema. */
  readonly read: (name: string) => Sql;
  /** The columns of a point, among those that `read` knows. */
  readonly columns: readonly string[];
  /** A plan over these points, limited to those of one table; undefined if the plan does not process each table's points separately. */
  readonly alone: (plan: Plan, table: 'metric_points' | 'metric_histograms') => Plan | undefined;
  /** The columns that describe the series. */
  readonly about: readonly string[];
  /** Describes the series with points in a window: one row for each, to look up by series. */
  readonly lookup: (window: Window) => SeriesLookup;
  /** Whether a table may have points of it; false if it is known to have none. */
  readonly has: (table: 'metric_points' | 'metric_histograms') => boolean;
  /** Whether any series with points in a window has a trait: a constant in the whole statement. Undefined if none is known to have it. */
  readonly anySeries: (trait: SeriesTrait, window: Window) => Sql | undefined;
  /** Whether they may be taken to be alike: see `KnownMetrics.alike`. */
  readonly alike: boolean;
  /** All are known to be cumulative histograms with explicit bounds. */
  readonly plain: boolean;
  /** When roll-ups contain all its points; undefined: it is not a single metric. */
  readonly rollUps?: MetricRollUps;
  /** The same rows, with fields that read other columns. */
  readonly rowsFrom: (read: (name: string) => Sql) => Rows;
}

export type SignalName =
  | 'logs'
  | 'spans'
  | 'traces'
  | 'events'
  | 'links'
  | 'metric'
  | 'exemplars'
  | 'profiles'
  | 'flags'
  | 'changes';
/** `either` is a bare name: the signal's own attribute, or if a row has none, that of its resource. */
export type AttributeScope = 'signal' | 'resource' | 'scope' | 'either';

/** The name of an attribute, or the way to a value inside of one that is a map. */
export type AttributeKey = string | InMap;

export interface InMap {
  readonly scope: Exclude<AttributeScope, 'either'>;
  readonly name: string;
  readonly path: readonly string[];
}

/** Time buckets that rows were grouped by. */
export interface Bucket {
  readonly column: string;
  /** For buckets of the calendar about their width: days are an hour shorter or longer twice a year, months differ. */
  readonly widthNs: bigint;
  /** The rows describe the moments at which buckets begin, so that none of them is partial. */
  readonly moments?: true;
  /** Present if buckets are days or months of a time zone. */
  readonly calendar?: Calendar;
}

/** The input and output of a stage: rows with named, typed columns, and the plan that computes them. */
export interface Relation {
  readonly plan: Plan;
  readonly columns: readonly Column[];
  /** Present while rows are still those of a signal. */
  readonly rows?: Rows;
  /** Reads a key of a parsed text, for a name that is not a column. The keys may differ by row. */
  readonly parsed?: (path: readonly string[]) => Value;
  /** Other rows joined to each row, by their name in the query (`join … as l`, `match a{…}`). */
  readonly beside?: ReadonlyMap<string, Relation>;
  readonly window: Window;
  /** How many real events a row represents, if the source was sampled. */
  readonly weight?: Sql;
  /** Where its weight is not only that of stored spans: of evaluations that were reported together, or of a sample that the query takes. */
  readonly weighs?: 'evaluations' | 'sample';
  /** The time of a row, which `bucket` and `sort` use without a field. */
  readonly time?: Value;
  readonly bucket?: Bucket;
  /** What the buckets of a range function cover, where that is not the window. */
  readonly covers?: Window;
  /** The columns that rows were grouped by; absent before any grouping. */
  readonly keys?: readonly string[];
  readonly sorted: boolean;
  /** The metric whose buckets (`le`) rows were grouped by; absent otherwise. */
  readonly bucketsOf?: string;
  /** After a stage that keeps some rows only: which, for `explain`. */
  readonly keeps?: string;
  /** The rows are the folded stacks of a flame graph. */
  readonly flame?: true;
  /** An earlier stage has an error, so unknown names are not reported. */
  readonly unknown?: boolean;
}

/** Rows that are counted with the weights of sampling. */
export interface SampledRows {
  readonly plan: Plan;
  readonly weight: Sql;
  /** Whether the query itself takes a sample of them. */
  readonly bySample: boolean;
  /** The stage that counts them, if it can still be told to count others. */
  readonly stage?: Stage | undefined;
}

export function findColumn(relation: Relation, name: string): Column | undefined {
  return relation.columns.find((column) => column.name === name);
}

/** The columns with `added` in place of the one with its name, or at the end. */
export function withColumn(columns: readonly Column[], added: Column): readonly Column[] {
  const at = columns.findIndex((column) => column.name === added.name);
  return at < 0 ? [...columns, added] : columns.with(at, added);
}

export type Fresh = () => ColumnId;
