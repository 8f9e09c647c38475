/** How a label of a series is looked up: in each of its places in turn, and the first that has one of the keys counts. */
export type RecentLabel =
  | { readonly kind: 'service' }
  | { readonly kind: 'environment' }
  | {
      readonly kind: 'attribute';
      readonly places: readonly ('attributes' | 'resource')[];
      /** Names of the attribute, looked for in this order in each place. */
      readonly keys: readonly string[];
    };

/** A condition on the labels of a series. `and` of nothing is true, `or` of nothing false. */
export type RecentCondition =
  | { readonly kind: 'in'; readonly label: RecentLabel; readonly texts: readonly string[] }
  | { readonly kind: 'exists'; readonly label: RecentLabel }
  | { readonly kind: 'and' | 'or'; readonly of: readonly RecentCondition[] }
  | { readonly kind: 'not'; readonly of: RecentCondition };

/** Time buckets, in milliseconds since the epoch. Without a step, the whole window is one bucket. */
export interface RecentBuckets {
  /** The beginning of the first bucket, which may be earlier than the window. */
  readonly firstMs: number;
  readonly stepMs: number | null;
  readonly count: number;
  /** When the last bucket is evaluated, which may end later: the end of the window, or now if that is earlier. */
  readonly toMs: number;
}

/** What is computed of the points of each series in each bucket. */
export type RecentFunction =
  /** Each point counts on its own. */
  | { readonly kind: 'values' }
  /** Prometheus' `rate` or `increase` at the end of each bucket, over the points of `(end - overMs, end]`. */
  | { readonly kind: 'prometheus'; readonly perSecond: boolean; readonly overMs: number }
  /**
   * How much a series grew in the time `overMs` up to the end of each bucket. Points before `fromMs` are only compared with. With `cutMs`, the last
   * bucket is evaluated before its end, and counts what is not earlier than this.
   */
  | {
      readonly kind: 'growth';
      readonly fn: 'rate' | 'increase' | 'delta';
      readonly overMs: number;
      readonly fromMs: number;
      readonly cutMs?: number;
    };

export type RecentAggregate = 'sum' | 'avg' | 'min' | 'max' | 'count';

/** A query that can be answered from the number points of one metric. Plain data, which crosses threads by structured clone. */
export interface RecentQuestion {
  readonly metric: string;
  /** The points that are needed, half-open, in milliseconds since the epoch, with those of earlier times that others are compared with. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Absent: all projects of the workspace. */
  readonly project?: number;
  /** Absent: all environments. */
  readonly environment?: string;
  /**
   * The days since the epoch, both included, of which one must have a row of the series in `metric_series`. Absent where nothing reads
   * labels: then all points count.
   */
  readonly days?: { readonly from: number; readonly to: number };
  readonly condition?: RecentCondition;
  readonly fn: RecentFunction;
  readonly buckets: RecentBuckets;
  /** The columns of a row: first what rows are grouped by, then the aggregates. */
  readonly keys: readonly ('bucket' | RecentLabel)[];
  readonly aggregates: readonly RecentAggregate[];
}

/** Earlier than any other. */
export const UNKNOWN_START = Number.NEGATIVE_INFINITY;

/** A series with its number points. */
export interface RecentSeries {
  /** `metric_points.series`. */
  readonly series: bigint;
  readonly project: number;
  readonly environment: string;
  /** The names of the enumerations of `metric_series`. */
  readonly kind: string;
  readonly temporality: string;
  /** Days since the epoch with a row in `metric_series`. */
  readonly days: ReadonlySet<number>;
  readonly attributes: ReadonlyMap<string, string>;
  /** The largest text of its rows: older rows have no types. */
  readonly attributeTypes: string;
  readonly resource: ReadonlyMap<string, string>;
  readonly resourceTypes: string;
  readonly service: string;
  /** What `times` and `starts` count from, in milliseconds since the epoch: so near that a number of milliseconds has all nanoseconds. */
  readonly originMs: number;
  /**
   * Points by strictly rising time in milliseconds and their parts: one for each time, that with the largest value, then with the latest
   * start. Points without a recorded value are left out. A start of {@link UNKNOWN_START} is unknown. The arrays may be longer than `count`.
   */
  readonly count: number;
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly starts: Float64Array;
}

/** The times of a question, counted from an origin. */
export type RecentTimes = Pick<RecentQuestion, 'fromMs' | 'toMs' | 'buckets' | 'fn'>;

export function timesSince({ fromMs, toMs, buckets, fn }: RecentTimes, originMs: number): RecentTimes {
  return {
    fromMs: fromMs - originMs,
    toMs: toMs - originMs,
    buckets: { ...buckets, firstMs: buckets.firstMs - originMs, toMs: buckets.toMs - originMs },
    fn: fn.kind === 'growth' ? growthSince(fn, originMs) : fn,
  };
}

function growthSince(fn: Extract<RecentFunction, { readonly kind: 'growth' }>, originMs: number): RecentFunction {
  const { fromMs, cutMs } = fn;
  return { ...fn, fromMs: fromMs - originMs, ...(cutMs !== undefined && { cutMs: cutMs - originMs }) };
}

/** The answer to a {@link RecentQuestion}. */
export interface RecentAnswer {
  /** In the form in which the engine sends them in JSONCompact, which `decodeRow` reads. */
  readonly rows: (string | number | null)[][];
  /** How many points were read. */
  readonly points: number;
}
