import type { Classic } from '../metrics/classic.ts';
import type { Plan, Window } from '../plan/plan.ts';
import type { ColumnId, Sql } from '../sql/sql.ts';
import type { Value } from './value.ts';

export interface Column {
  readonly name: string;
  readonly value: Value;
}

/** The rows of a signal as they are stored: besides the columns derived from them, all their fields can be read. */
export interface Rows {
  readonly signal: SignalName;
  /** A field that every row has, by its name; undefined where there is none. */
  intrinsic(name: string): Value | undefined;
  readonly intrinsics: readonly string[];
  /** Which order or index of the table serves a condition on a field. */
  indexOf(name: string): string | null;
  /** What a field is, in one sentence. */
  docOf(name: string): string;
  /** Absent where rows have no attributes of their own. */
  attribute?(scope: AttributeScope, keys: readonly string[]): Value;
  /** What is shown where the query does not say. */
  readonly defaults: readonly string[];
  /** What an aggregate without an argument is about (`metric x | sum`). */
  readonly subject?: string;
  /** Present where each row is a group of rows, which aggregates are about: the spans of a trace. */
  readonly inner?: InnerRows;
  /** Present for the points of a metric as they are stored. */
  readonly points?: MetricPoints;
}

export interface InnerRows {
  readonly relation: Relation;
  /** Makes a column of the group of an aggregate of its rows. */
  readonly aggregated: (value: Sql) => Sql;
}

/** What series are: the columns of `about`, of each series. */
export interface SeriesLookup {
  readonly plan: Plan;
  readonly series: ColumnId;
  readonly columns: ReadonlyMap<string, ColumnId>;
}

/** Whether some series of a metric are histograms or summaries, or all are summaries, as far as that is known; `several`: the rows are those of several metrics. */
export type Histograms = 'none' | 'some' | 'summaries' | 'several' | 'unknown';

/** What decides how points of a series are to be read. */
export type SeriesTrait = 'delta' | 'exponential_histogram';

/** The points of a metric, for what is computed from one point to the next. */
export interface MetricPoints {
  readonly histograms: Histograms;
  /** Present where its numbers are read as the buckets of histograms. */
  readonly classic?: Classic & {
    /** The condition that leaves out their sums, which are read beside them. */ readonly isOwn: Sql;
  };
  /** Present where they may be such buckets, and the query is about each of them. */
  readonly bucketsOf?: string;
  readonly series: Sql;
  /** A column of a point or of its series, by its name in the schema. */
  readonly read: (name: string) => Sql;
  /** The columns of a point, among those that `read` knows. */
  readonly columns: readonly string[];
  /** A plan over these points with those of one table alone; undefined where each table's points do not go through it by themselves. */
  readonly alone: (plan: Plan, table: 'metric_points' | 'metric_histograms') => Plan | undefined;
  /** The columns that tell what the series is. */
  readonly about: readonly string[];
  /** What the series with points in a window are, to be looked up by series: one row for each. */
  readonly lookup: (window: Window) => SeriesLookup;
  /** Whether a table has points of it, as far as that is known. */
  readonly has: (table: 'metric_points' | 'metric_histograms') => boolean;
  /** Whether any series with points in a window is so: a constant of the whole statement. Undefined: it is known that none is. */
  readonly anySeries: (trait: SeriesTrait, window: Window) => Sql | undefined;
  /** The same rows with other columns behind their fields. */
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
  | 'flags';
/** `either` is a bare name: the signal's own attribute, or where a row has none, its resource's. */
export type AttributeScope = 'signal' | 'resource' | 'scope' | 'either';

/** Time buckets that rows were grouped by. */
export interface Bucket {
  readonly column: string;
  /** Of days in a time zone: the usual width, while some are an hour shorter or longer. */
  readonly widthNs: bigint;
  /** Present where buckets are days of a calendar, in a time zone. */
  readonly days?: CalendarDays;
}

export interface CalendarDays {
  readonly zone: string;
  /** The number of a bucket by its beginning, one more than that of the bucket before it. */
  readonly number: (time: Sql) => Sql;
}

/** What a stage takes and gives: rows with named, typed columns, and the plan that makes them. */
export interface Relation {
  readonly plan: Plan;
  readonly columns: readonly Column[];
  /** Present while rows are still those of a signal. */
  readonly rows?: Rows;
  /** The keys of a text that was parsed, which are known row by row only: what a name is where it is no column. */
  readonly parsed?: (path: readonly string[]) => Value;
  /** Other rows beside each row, by the name that they were given (`join … as l`, `match a{…}`). */
  readonly beside?: ReadonlyMap<string, Relation>;
  readonly window: Window;
  /** How many events of the world a row stands for, where the source was sampled. */
  readonly weight?: Sql;
  /** The moment of a row; what `bucket` and `sort` without a field go by. */
  readonly time?: Value;
  readonly bucket?: Bucket;
  /** Which columns rows were grouped by; absent before any grouping. */
  readonly keys?: readonly string[];
  readonly sorted: boolean;
  /** The metric whose buckets rows were grouped by (`le`); absent for others. */
  readonly bucketsOf?: string;
  /** The rows are the folded stacks of a flame graph. */
  readonly flame?: true;
  /** A stage before this one did not check, so that nothing is said about names. */
  readonly unknown?: boolean;
}

export function findColumn(relation: Relation, name: string): Column | undefined {
  return relation.columns.find((column) => column.name === name);
}

/** The columns with one replaced or added at the end. */
export function withColumn(columns: readonly Column[], added: Column): readonly Column[] {
  const at = columns.findIndex((column) => column.name === added.name);
  return at < 0 ? [...columns, added] : columns.with(at, added);
}

export type Fresh = () => ColumnId;
