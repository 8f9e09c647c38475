import { type Buckets, CUSTOM_BUCKETS, type NativeHistogram } from './native-histogram.ts';

/** One bucket with its bounds. */
export interface Bucket {
  lower: number;
  upper: number;
  count: number;
}

/** The upper bound of a bucket by its index. */
export function upperBound(index: number, schema: number, customValues: Float64Array | undefined): number {
  if (schema === CUSTOM_BUCKETS) {
    if (index < 0) return Number.NEGATIVE_INFINITY;
    return customValues?.[index] ?? Number.POSITIVE_INFINITY;
  }
  if (schema < 0) {
    const exponent = index * 2 ** -schema;
    // The last bucket of finite numbers ends at the largest of them.
    return exponent === 1024 ? Number.MAX_VALUE : 2 ** exponent;
  }
  const whole = index >> schema;
  const part = index & ((1 << schema) - 1);
  if (part === 0 && whole === 1024) return Number.MAX_VALUE;
  return 2 ** (part / 2 ** schema) * 2 ** whole;
}

export function usesCustomBuckets({ schema }: NativeHistogram): boolean {
  return schema === CUSTOM_BUCKETS;
}

function bucketAt(histogram: NativeHistogram, { indexes, counts }: Buckets, i: number, isNegative: boolean): Bucket {
  const { schema, customValues } = histogram;
  const index = indexes[i] ?? 0;
  const [low, high] = [upperBound(index - 1, schema, customValues), upperBound(index, schema, customValues)];
  const count = counts[i] ?? 0;
  return isNegative ? { lower: -high, upper: -low, count } : { lower: low, upper: high, count };
}

export function positiveBuckets(histogram: NativeHistogram): Bucket[] {
  return Array.from(histogram.positive.indexes, (_, i) => bucketAt(histogram, histogram.positive, i, false));
}

/** From the one closest to zero. */
export function negativeBuckets(histogram: NativeHistogram): Bucket[] {
  return Array.from(histogram.negative.indexes, (_, i) => bucketAt(histogram, histogram.negative, i, true));
}

/** All buckets from the lowest to the highest. Buckets that reach into the zero bucket end at its threshold. */
export function allBuckets(histogram: NativeHistogram): Bucket[] {
  const { zeroCount, zeroThreshold } = histogram;
  if (usesCustomBuckets(histogram)) return positiveBuckets(histogram);
  const all = negativeBuckets(histogram).reverse();
  for (const bucket of all) if (bucket.upper < 0 && bucket.upper > -zeroThreshold) bucket.upper = -zeroThreshold;
  if (zeroCount > 0) all.push({ lower: -zeroThreshold, upper: zeroThreshold, count: zeroCount });
  for (const bucket of positiveBuckets(histogram)) {
    if (bucket.lower > 0 && bucket.lower < zeroThreshold) bucket.lower = zeroThreshold;
    all.push(bucket);
  }
  return all;
}

/** A bucket as Prometheus' API lists it: 0 includes its upper bound, 1 its lower one, 3 both. */
export interface ListedBucket extends Readonly<Bucket> {
  readonly boundaries: 0 | 1 | 3;
}

/** The buckets that are not empty, from the lowest to the highest. */
export function listedBuckets(histogram: NativeHistogram): ListedBucket[] {
  const isCustom = usesCustomBuckets(histogram);
  const boundaries = ({ lower, upper }: Bucket) => {
    if (isCustom) return lower === Number.NEGATIVE_INFINITY ? 3 : 0;
    // The zero bucket is symmetric, also where its threshold is 0.
    return lower === -upper ? 3 : upper <= 0 ? 1 : 0;
  };
  return allBuckets(histogram)
    .filter(({ count }) => count !== 0)
    .map((bucket) => ({ ...bucket, boundaries: boundaries(bucket) }));
}

/** The share of a bucket below a value within its finite bounds: linear, or on a logarithmic scale. */
export function fractionBelow({ lower, upper }: Bucket, value: number, isLinear: boolean): number {
  if (isLinear) return (value - lower) / (upper - lower);
  const [low, high, at] = [lower, upper, value].map((one) => Math.log2(Math.abs(one))) as [number, number, number];
  return value > 0 ? (at - low) / (high - low) : 1 - (at - high) / (low - high);
}
