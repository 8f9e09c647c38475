import type { Counter, Growth, Rate, Steps } from '@fanion/series';

/** Where a label may be. `own` has `service` and `environment`, the columns of a series. */
export type RecentPlace = 'attributes' | 'resource' | 'own';

/** A label of a series: in each of its places in turn, the first one that has one of the keys counts. */
export interface RecentLabel {
  readonly places: readonly RecentPlace[];
  readonly keys: readonly string[];
}

/** Whether a series has one of the texts as a label; `isNegated`: whether it has not. */
export interface RecentCondition {
  readonly label: RecentLabel;
  readonly texts: readonly string[];
  readonly isNegated: boolean;
}

/** What is computed of the samples of each series in each bucket; `values`: each sample counts on its own. */
export type RecentFunction =
  | { readonly kind: 'values' }
  | ({ readonly kind: 'prometheus' } & Rate)
  | ({ readonly kind: 'growth' } & Growth);

export type RecentAggregate = 'sum' | 'avg' | 'min' | 'max' | 'count';

/**
 * A query that can be answered from the number points of one metric. Times are in milliseconds since the epoch. Plain data, which crosses
 * threads by structured clone.
 */
export interface RecentQuestion {
  readonly metric: string;
  /** The points that are needed, half-open, with those of earlier times that others are compared with. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Absent: all projects of the workspace. */
  readonly project?: number;
  /** Absent: all environments. */
  readonly environment?: string;
  /** All must be met. */
  readonly conditions: readonly RecentCondition[];
  readonly fn: RecentFunction;
  /** From the beginning of the first one; without `bucket(…)`, one. `endMs`: when the last one is evaluated, which may end later. */
  readonly buckets: Steps & { readonly endMs: number };
  /** The columns of a row: first what rows are grouped by, then the aggregates. */
  readonly keys: readonly ('bucket' | RecentLabel)[];
  readonly aggregates: readonly RecentAggregate[];
}

/** A series with its number points: of copies of a time, the one with the largest value, then with the latest start. */
export interface RecentSeries extends Counter {
  readonly project: number;
  /** `types` is a column such as `metric_series.attribute_types`. */
  readonly labels: Readonly<
    Record<RecentPlace, { readonly texts: ReadonlyMap<string, string>; readonly types: string }>
  >;
}

/** All series of a metric that have points: gauges and cumulative sums, whose values are below 1e290, so that sums are the same in any order. */
export interface RecentMetric {
  /** What times count from, in milliseconds since the epoch. */
  readonly originMs: number;
  readonly series: Iterable<RecentSeries>;
}

/** The answer to a {@link RecentQuestion}. */
export interface RecentAnswer {
  /** In the form in which the engine sends them in JSONCompact, which `decodeRow` reads. */
  readonly rows: (string | number | null)[][];
  /** How many points were read. */
  readonly points: number;
}
