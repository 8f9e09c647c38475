import { type Bucket, fractionBelow, negativeBuckets, positiveBuckets, usesCustomBuckets } from './bounds.ts';
import { compacted } from './buckets.ts';
import type { Buckets, NativeHistogram } from './native-histogram.ts';

export type Keep = 'below' | 'above';

/** What is left of a bucket, and where its observations are taken to be. */
interface Rest {
  readonly count: number;
  readonly middle: number;
}

/**
 * The part of a histogram on one side of a value, as Prometheus' `TrimBuckets`. A bucket that the value cuts is interpolated. Sum and count are those of what
 * is left, if anything was cut.
 */
export function trimmed(histogram: NativeHistogram, at: number, keep: Keep): NativeHistogram {
  const isCustom = usesCustomBuckets(histogram);
  const rest = (bucket: Bucket, sign: 1 | -1) => restOf(bucket, at, keep, { isCustom, sign });
  const positive = positiveBuckets(histogram).map((bucket) => rest(bucket, 1));
  const negative = negativeBuckets(histogram).map((bucket) => rest(bucket, -1));
  const zero = zeroRest(histogram, at, keep);
  const isCut =
    zero.count !== histogram.zeroCount ||
    positive.some(({ count }, i) => count !== histogram.positive.counts[i]) ||
    negative.some(({ count }, i) => count !== histogram.negative.counts[i]);
  if (!isCut) return histogram;
  const all = [...positive, ...negative, zero].filter(({ count }) => count !== 0);
  return {
    ...histogram,
    count: all.reduce((sum, { count }) => sum + count, 0),
    sum: all.reduce((sum, { count, middle }) => sum + middle * count, 0),
    zeroCount: zero.count,
    positive: withCounts(histogram.positive, positive),
    negative: withCounts(histogram.negative, negative),
  };
}

function withCounts({ indexes }: Buckets, rests: readonly Rest[]): Buckets {
  return compacted({ indexes, counts: Float64Array.from(rests, ({ count }) => count) });
}

interface Kind {
  readonly isCustom: boolean;
  readonly sign: 1 | -1;
}

function restOf(bucket: Bucket, at: number, keep: Keep, kind: Kind): Rest {
  const { lower, upper, count } = bucket;
  if (count === 0) return { count: 0, middle: 0 };
  const isWhole = keep === 'below' ? upper <= at : lower >= at;
  if (isWhole) return { count, middle: middleOf(lower, upper, kind) };
  const isCut = keep === 'below' ? lower < at : upper > at;
  if (!isCut) return { count: 0, middle: 0 };
  if (lower === Number.NEGATIVE_INFINITY) return restOfLowest(bucket, at, keep);
  if (upper === Number.POSITIVE_INFINITY)
    return keep === 'above' && at >= lower ? { count, middle: at } : { count: 0, middle: 0 };
  const below = count * fractionBelow(bucket, at, kind.isCustom);
  return keep === 'below'
    ? { count: below, middle: middleOf(lower, at, kind) }
    : { count: count - below, middle: middleOf(at, upper, kind) };
}

/** Of a bucket from -Inf, which counts from 0 where its end is above 0. */
function restOfLowest({ upper, count }: Bucket, at: number, keep: Keep): Rest {
  const isSplit = upper > 0 && upper !== Number.POSITIVE_INFINITY;
  if (keep === 'below') {
    if (at > 0 && isSplit) return { count: (count * at) / upper, middle: at / 2 };
    return upper <= 0 ? { count, middle: at } : { count: 0, middle: 0 };
  }
  if (at === Number.NEGATIVE_INFINITY) return { count, middle: 0 };
  if (at >= 0 && isSplit) return { count: count * (1 - at / upper), middle: (at + upper) / 2 };
  return { count: 0, middle: 0 };
}

function zeroRest(histogram: NativeHistogram, at: number, keep: Keep): Rest {
  const { zeroCount: count, zeroThreshold, positive, negative } = histogram;
  if (!(count > 0)) return { count, middle: 0 };
  const [hasPositive, hasNegative] = [positive, negative].map(({ counts }) => counts.some((one) => one !== 0));
  const lower = hasPositive && !hasNegative ? 0 : -zeroThreshold;
  const upper = hasNegative && !hasPositive ? 0 : zeroThreshold;
  const [from, to] = keep === 'below' ? [lower, Math.min(at, upper)] : [Math.max(at, lower), upper];
  if (keep === 'below' ? at >= upper && at > lower : at <= lower) return { count, middle: (lower + upper) / 2 };
  return to > from
    ? { count: (count * (to - from)) / (upper - lower), middle: (from + to) / 2 }
    : { count: 0, middle: 0 };
}

function middleOf(lower: number, upper: number, { isCustom, sign }: Kind): number {
  const [hasLower, hasUpper] = [Number.isFinite(lower), Number.isFinite(upper)];
  if (!hasLower && !hasUpper) return 0;
  if (!hasLower) return upper > 0 ? upper / 2 : upper;
  if (!hasUpper) return lower;
  return isCustom ? (lower + upper) / 2 : sign * Math.sqrt(Math.abs(lower * upper));
}
