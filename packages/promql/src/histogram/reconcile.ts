import { negativeBuckets, positiveBuckets, upperBound, usesCustomBuckets } from './bounds.ts';
import { after, compacted, reduced, regrouped } from './buckets.ts';
import type { Buckets, NativeHistogram } from './native-histogram.ts';

/** One layout for two histograms: the wider schema, the wider zero bucket, the common custom bounds. */
export interface Reconciled {
  readonly a: NativeHistogram;
  readonly b: NativeHistogram;
  /** Whether custom bounds differed. */
  readonly changedBounds: boolean;
}

/** Undefined where one has exponential buckets and the other custom ones. */
export function reconciled(a: NativeHistogram, b: NativeHistogram): Reconciled | undefined {
  if (usesCustomBuckets(a) !== usesCustomBuckets(b)) return undefined;
  if (usesCustomBuckets(a)) {
    if (haveSameBounds(a, b)) return { a, b, changedBounds: false };
    const bounds = commonBounds(a.customValues ?? NONE, b.customValues ?? NONE);
    return { a: withBounds(a, bounds), b: withBounds(b, bounds), changedBounds: true };
  }
  let [left, right] = [a, b];
  while (left.zeroThreshold !== right.zeroThreshold) {
    if (left.zeroThreshold > right.zeroThreshold) right = withZeroBucket(right, left.zeroThreshold);
    else left = withZeroBucket(left, right.zeroThreshold);
  }
  const schema = Math.min(left.schema, right.schema);
  return { a: inSchema(left, schema), b: inSchema(right, schema), changedBounds: false };
}

const NONE = new Float64Array(0);

export function haveSameBounds(a: NativeHistogram, b: NativeHistogram): boolean {
  const [left, right] = [a.customValues ?? NONE, b.customValues ?? NONE];
  return left.length === right.length && left.every((value, i) => value === right[i]);
}

export function commonBounds(a: Float64Array, b: Float64Array): Float64Array {
  return a.filter((value) => b.includes(value));
}

/** With fewer custom bounds, each of which the histogram has; the last bucket takes what is above them. */
export function withBounds(histogram: NativeHistogram, bounds: Float64Array): NativeHistogram {
  const { positive, customValues } = histogram;
  const place = (index: number) => {
    const bound = customValues?.[index] ?? Number.POSITIVE_INFINITY;
    const target = bounds.findIndex((one) => one >= bound);
    return target < 0 ? bounds.length : target;
  };
  return { ...histogram, customValues: bounds, positive: regrouped(positive, place) };
}

/** In a lower resolution. */
export function inSchema(histogram: NativeHistogram, schema: number): NativeHistogram {
  const by = histogram.schema - schema;
  if (by <= 0 || usesCustomBuckets(histogram)) return histogram;
  return { ...histogram, schema, positive: reduced(histogram.positive, by), negative: reduced(histogram.negative, by) };
}

/** With a zero bucket at least as wide as `threshold`: wider where that is within a bucket that is not empty. */
export function withZeroBucket(histogram: NativeHistogram, threshold: number): NativeHistogram {
  let wanted = threshold;
  for (;;) {
    const wider = Math.max(reach(positiveBuckets(histogram), wanted, 1), reach(negativeBuckets(histogram), wanted, -1));
    if (wider === wanted) break;
    wanted = wider;
  }
  const inside = (buckets: Buckets) => {
    let [last, sum] = [Number.NEGATIVE_INFINITY, 0];
    buckets.indexes.forEach((index, i) => {
      if (upperBound(index - 1, histogram.schema, undefined) >= wanted) return;
      last = index;
      sum += buckets.counts[i] ?? 0;
    });
    return { rest: compacted(after(last, buckets)), sum };
  };
  const [positive, negative] = [inside(histogram.positive), inside(histogram.negative)];
  return {
    ...histogram,
    zeroThreshold: wanted,
    zeroCount: histogram.zeroCount + positive.sum + negative.sum,
    positive: positive.rest,
    negative: negative.rest,
  };
}

/** How wide the zero bucket becomes when it must not end within one of the buckets. */
function reach(buckets: ReturnType<typeof positiveBuckets>, threshold: number, sign: 1 | -1): number {
  const cut = buckets.find(({ lower, upper, count }) => {
    const [near, far] = sign === 1 ? [lower, upper] : [-upper, -lower];
    return count !== 0 && near < threshold && far > threshold;
  });
  if (cut === undefined) return threshold;
  return sign === 1 ? cut.upper : -cut.lower;
}
