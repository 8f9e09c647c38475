/** One state of a histogram, with OTLP buckets: bucket `i` of an exponential one begins at `base ** i`. */
export interface Histogram {
  readonly count: number;
  readonly sum: number;
  /** For a histogram with explicit bounds: one count more than bounds, the last up to infinity. */
  readonly explicit?: { readonly bounds: readonly number[]; readonly counts: readonly number[] };
  readonly exponential?: {
    readonly scale: number;
    readonly zeroCount: number;
    readonly zeroThreshold: number;
    readonly positive: Buckets;
    readonly negative: Buckets;
  };
}

export interface Buckets {
  readonly first: number;
  readonly counts: readonly number[];
}

export interface HistogramCase {
  readonly name: string;
  readonly of: Histogram;
}

const total = (counts: readonly number[]) => counts.reduce((sum, n) => sum + n, 0);

function explicit(name: string, bounds: readonly number[], counts: readonly number[]): HistogramCase {
  return { name, of: { count: total(counts), sum: total(counts) * 3, explicit: { bounds, counts } } };
}

function exponential(
  name: string,
  scale: number,
  positive: readonly [first: number, ...counts: number[]] | null,
  zero: readonly [count: number, threshold: number] = [0, 0],
  negative: readonly [first: number, ...counts: number[]] | null = null,
): HistogramCase {
  const buckets = (of: typeof positive): Buckets => ({ first: of?.[0] ?? 0, counts: of?.slice(1) ?? [] });
  const [zeroCount, zeroThreshold] = zero;
  const sides = { positive: buckets(positive), negative: buckets(negative) };
  const count = total(sides.positive.counts) + total(sides.negative.counts) + zeroCount;
  return { name, of: { count, sum: count * 3, exponential: { scale, zeroCount, zeroThreshold, ...sides } } };
}

export const LEVELS = [0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 1] as const;

/** Histograms whose quantiles exercise each rule of interpolation. */
export const EXPLICIT: readonly HistogramCase[] = [
  explicit('plain', [0.1, 0.5, 1, 5], [10, 20, 30, 40, 0]),
  // Values above the last bound are reported as that bound.
  explicit('beyond_the_last_bound', [1, 2], [1, 1, 8]),
  explicit('all_beyond', [1, 2], [0, 0, 5]),
  explicit('all_in_the_first', [10, 20], [7, 0, 0]),
  // A first bucket that ends at or below zero has no lower bound: only its upper bound is known.
  explicit('first_below_zero', [-5, 0, 5], [4, 4, 4, 0]),
  explicit('first_ends_at_zero', [0, 5], [4, 4, 0]),
  explicit('gaps', [1, 2, 3, 4], [2, 0, 0, 2, 0]),
  explicit('one_bound', [10], [3, 1]),
  explicit('a_single_value', [1, 10, 100], [0, 1, 0, 0]),
];

export const EXPONENTIAL: readonly HistogramCase[] = [
  exponential('powers_of_two', 0, [0, 1, 2, 3, 4]),
  exponential('finer', 3, [-5, 3, 1, 4, 1, 5, 9, 2, 6]),
  exponential('coarse', -2, [-1, 2, 3, 5]),
  exponential('with_a_zero_bucket', 1, [2, 4, 4], [4, 0.5]),
  // Between 0 and its threshold, since there are no negative values.
  exponential('mostly_zero', 0, [3, 1], [9, 1]),
  exponential('only_zero', 0, null, [9, 1]),
  exponential('zero_without_a_width', 0, [0, 5], [5, 0]),
  exponential('negative', 0, null, [0, 0], [1, 3, 4, 5]),
  exponential('negative_and_zero', 0, null, [6, 0.5], [1, 3, 4]),
  exponential('both_sides', 1, [0, 3, 4], [2, 0.25], [1, 5, 6]),
  exponential('gap', 0, [0, 2, 0, 0, 3]),
  exponential('gap_on_the_rank', 0, [0, 2, 0, 0, 2]),
  exponential('tiny', 8, [1000, 1, 1, 2]),
  exponential('a_single_power', 0, [4, 1]),
];

/** A cumulative histogram over time: its state at each second. */
export interface HistogramSeries {
  readonly name: string;
  readonly states: readonly (readonly [seconds: number, state: Histogram | 'stale'])[];
}

function states(first: number, n: number, state: (i: number) => Histogram): readonly (readonly [number, Histogram])[] {
  return Array.from({ length: n }, (_, i) => [first + i * 15, state(i)] as const);
}

const ofExponential = (
  i: number,
  scale: number,
  first: number,
  counts: readonly number[],
  zeroCount = 0,
): Histogram => {
  const grown = counts.map((n) => n * i);
  return {
    count: total(grown) + zeroCount,
    sum: 2.5 * i,
    exponential: {
      scale,
      zeroCount,
      zeroThreshold: 0.001,
      positive: { first, counts: grown },
      negative: { first: 0, counts: [] },
    },
  };
};
const ofExplicit = (i: number, counts: readonly number[], bounds: readonly number[] = [1, 2, 4]): Histogram => {
  const grown = counts.map((n) => n * i);
  return { count: total(grown), sum: 2.5 * i, explicit: { bounds, counts: grown } };
};

/** Histograms as counters: resets, ends, changing scales. */
export const HISTOGRAM_SERIES: readonly HistogramSeries[] = [
  { name: 'steady', states: states(-600, 41, (i) => ofExponential(i + 10, 1, 0, [1, 2, 3])) },
  { name: 'born', states: states(-140, 10, (i) => ofExponential(i + 1, 1, 0, [1, 2, 3])) },
  {
    name: 'reset',
    states: states(-600, 41, (i) => ofExponential(i < 30 ? i + 3 : i - 29, 1, 0, [1, 2, 3])),
  },
  // The count grows, but some buckets shrink: only the buckets show the reset.
  {
    name: 'reset_told_by_a_bucket',
    states: states(-600, 41, (i) =>
      i < 30 ? ofExponential(1, 0, 0, [3, 0, 1]) : ofExponential(i - 28, 0, 0, [1, 5, 9]),
    ),
  },
  {
    name: 'bucket_gone',
    states: states(-600, 41, (i) => (i < 30 ? ofExponential(1, 0, 0, [3, 2]) : ofExponential(i - 28, 0, 1, [4]))),
  },
  // Coarser buckets continue counting; finer ones mean a reset.
  { name: 'coarser', states: states(-600, 41, (i) => ofExponential(i + 1, i < 30 ? 1 : 0, 0, i < 30 ? [2, 3] : [5])) },
  { name: 'finer', states: states(-600, 41, (i) => ofExponential(i + 1, i < 30 ? 0 : 1, 0, i < 30 ? [5] : [2, 3])) },
  {
    name: 'zero_bucket_shrinks',
    states: states(-600, 41, (i) => ofExponential(i + 1, 0, 0, [5], i < 30 ? 4 : 3)),
  },
  {
    name: 'ended',
    states: [...states(-600, 33, (i) => ofExponential(i + 10, 1, 0, [1, 2, 3])), [-105, 'stale']],
  },
  { name: 'custom', states: states(-600, 41, (i) => ofExplicit(i + 10, [1, 2, 3, 1])) },
  {
    name: 'custom_reset',
    states: states(-600, 41, (i) => (i < 30 ? ofExplicit(i + 10, [1, 2, 3, 0]) : ofExplicit(i - 29, [2, 2, 2, 1]))),
  },
  {
    name: 'custom_reset_told_by_a_bucket',
    states: states(-600, 41, (i) => (i < 30 ? ofExplicit(1, [3, 2, 0, 0]) : ofExplicit(i - 28, [1, 2, 5, 1]))),
  },
];
