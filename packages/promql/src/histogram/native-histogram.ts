/** Counts of buckets by index, strictly rising; absent buckets are empty. */
export interface Buckets {
  readonly indexes: Int32Array;
  readonly counts: Float64Array;
}

/** The schema of histograms whose bucket boundaries are listed in `customValues`. */
export const CUSTOM_BUCKETS = -53;

/** What is known about the counter between this sample and the one before it. */
export type CounterReset = 'unknown' | 'reset' | 'not-reset' | 'gauge';

/**
 * A native histogram with float counts, as in Prometheus' `model/histogram` (facts of version 3.14, Apache-2.0).
 *
 * Bucket `i` of the exponential schema `s` counts what is in `(base ^ (i - 1), base ^ i]` with `base = 2 ^ (2 ^ -s)`. Bucket `i` of
 * {@link CUSTOM_BUCKETS} counts what is in `(customValues[i - 1], customValues[i]]`, the first from -Inf and the last up to +Inf.
 */
export interface NativeHistogram {
  readonly schema: number;
  readonly counterReset: CounterReset;
  readonly count: number;
  readonly sum: number;
  readonly zeroThreshold: number;
  readonly zeroCount: number;
  readonly positive: Buckets;
  readonly negative: Buckets;
  /** Upper bounds, without the final +Inf; only of {@link CUSTOM_BUCKETS}. */
  readonly customValues?: Float64Array;
}
