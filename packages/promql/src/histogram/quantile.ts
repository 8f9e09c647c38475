import { allBuckets, type Bucket, fractionBelow, usesCustomBuckets } from './bounds.ts';
import type { NativeHistogram } from './native-histogram.ts';

export interface Estimate {
  readonly value: number;
  /** Observations of NaN are in no bucket. */
  readonly nan?: 'result' | 'skew' | 'excluded';
}

/**
 * The quantile of a native histogram, as Prometheus' `HistogramQuantile` (`promql/quantile.go`): linear within custom buckets and the zero bucket, else on a
 * logarithmic scale.
 */
export function histogramQuantile(quantile: number, histogram: NativeHistogram): Estimate {
  if (quantile < 0) return { value: Number.NEGATIVE_INFINITY };
  if (quantile > 1) return { value: Number.POSITIVE_INFINITY };
  if (histogram.count === 0 || Number.isNaN(quantile)) return { value: Number.NaN };
  const hasNaN = Number.isNaN(histogram.sum);
  const isForward = hasNaN || quantile < 0.5;
  const buckets = allBuckets(histogram);
  if (!isForward) buckets.reverse();
  const rank = (isForward ? quantile : 1 - quantile) * histogram.count;
  const found = bucketOfRank(buckets, rank);
  const bucket = bounded(found.bucket, histogram);
  if (typeof bucket === 'number') return { value: bucket };
  const count = Math.min(found.count, histogram.count);
  if (count < rank) return hasNaN ? { value: Number.NaN, nan: 'result' } : { value: bucket.upper };
  const within = isForward ? rank - (count - bucket.count) : count - rank;
  const total = buckets.slice(found.next).reduce((sum, one) => sum + one.count, count);
  const value = interpolated(bucket, within / bucket.count, usesCustomBuckets(histogram));
  return hasNaN && total < histogram.count ? { value, nan: 'skew' } : { value };
}

function bucketOfRank(
  buckets: readonly Bucket[],
  rank: number,
): { readonly bucket: Bucket; readonly count: number; readonly next: number } {
  let bucket: Bucket = { lower: 0, upper: 0, count: 0 };
  let [count, next] = [0, 0];
  for (const one of buckets) {
    next++;
    bucket = one;
    if (one.count === 0) continue;
    count += one.count;
    if (count >= rank) break;
  }
  return { bucket, count, next };
}

/** Without infinite bounds; a number where that is the whole answer. */
function bounded(bucket: Bucket, histogram: NativeHistogram): Bucket | number {
  if (!usesCustomBuckets(histogram)) return withinSigns(bucket, histogram, bucket.lower < 0 && bucket.upper > 0);
  if (bucket.lower === Number.NEGATIVE_INFINITY) return bucket.upper <= 0 ? bucket.upper : { ...bucket, lower: 0 };
  return bucket.upper === Number.POSITIVE_INFINITY ? bucket.lower : bucket;
}

/** The zero bucket of a histogram with buckets on one side of zero only ends at zero. */
function withinSigns(bucket: Bucket, { positive, negative }: NativeHistogram, isZero: boolean): Bucket {
  if (!isZero) return bucket;
  if (negative.indexes.length === 0 && positive.indexes.length > 0) return { ...bucket, lower: 0 };
  if (positive.indexes.length === 0 && negative.indexes.length > 0) return { ...bucket, upper: 0 };
  return bucket;
}

function interpolated({ lower, upper }: Bucket, fraction: number, isCustom: boolean): number {
  if (isCustom || (lower <= 0 && upper >= 0)) return lower + (upper - lower) * fraction;
  const [low, high] = [Math.log2(Math.abs(lower)), Math.log2(Math.abs(upper))];
  return lower > 0 ? 2 ** (low + (high - low) * fraction) : -(2 ** (high + (low - high) * (1 - fraction)));
}

/** The share of observations between two values, as Prometheus' `HistogramFraction`. */
export function histogramFraction(lower: number, upper: number, histogram: NativeHistogram): Estimate {
  if (histogram.count === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return { value: Number.NaN };
  if (lower >= upper) return { value: 0 };
  const hasNaN = Number.isNaN(histogram.sum);
  const buckets = allBuckets(histogram);
  const counted = hasNaN ? buckets.reduce((sum, { count }) => sum + count, 0) : histogram.count;
  const rank = (value: number) => Math.min(rankOf(value, buckets, histogram) ?? counted, counted);
  const value = (rank(upper) - rank(lower)) / histogram.count;
  return hasNaN && counted < histogram.count ? { value, nan: 'excluded' } : { value };
}

/** How many observations are below a value; undefined above all buckets. */
function rankOf(value: number, buckets: readonly Bucket[], histogram: NativeHistogram): number | undefined {
  const isCustom = usesCustomBuckets(histogram);
  let rank = 0;
  for (const one of buckets) {
    const isZero = one.lower <= 0 && one.upper >= 0;
    const bucket = withinSigns(one, histogram, isZero);
    if (bucket.lower >= value) return rank;
    if (bucket.upper > value) {
      const isLinear = isCustom || isZero;
      if (isLinear && bucket.lower === Number.NEGATIVE_INFINITY) return bucket.count;
      return rank + bucket.count * fractionBelow(bucket, value, isLinear);
    }
    rank += bucket.count;
  }
  return undefined;
}
