import { usesCustomBuckets } from './bounds.ts';
import { areEqual, combined, compacted, NO_BUCKETS, scaled } from './buckets.ts';
import type { CounterReset, NativeHistogram } from './native-histogram.ts';
import { haveSameBounds, reconciled } from './reconcile.ts';

export interface Combination {
  readonly histogram: NativeHistogram;
  /** One side says that the counter was reset, and the other that it was not. */
  readonly collision: boolean;
  /** Custom bounds differed; only the common ones are left. */
  readonly changedBounds: boolean;
}

/** Undefined where one has exponential buckets and the other custom ones. */
export function add(a: NativeHistogram, b: NativeHistogram): Combination | undefined {
  return combine(a, b, (left, right) => left + right);
}

export function subtract(a: NativeHistogram, b: NativeHistogram): Combination | undefined {
  return combine(a, b, (left, right) => left - right);
}

function combine(
  a: NativeHistogram,
  b: NativeHistogram,
  of: (a: number, b: number) => number,
): Combination | undefined {
  const both = reconciled(a, b);
  if (both === undefined) return undefined;
  const [left, right] = [both.a, both.b];
  const { counterReset, collision } = combinedReset(a.counterReset, b.counterReset);
  const histogram: NativeHistogram = {
    ...left,
    counterReset,
    count: of(left.count, right.count),
    sum: of(left.sum, right.sum),
    zeroCount: usesCustomBuckets(left) ? left.zeroCount : of(left.zeroCount, right.zeroCount),
    positive: compacted(combined(left.positive, right.positive, of)),
    negative: compacted(combined(left.negative, right.negative, of)),
  };
  return { histogram, collision, changedBounds: both.changedBounds };
}

/** Adding anything to a gauge is a gauge; what is known of one counter only is unknown of the sum. */
export function combinedReset(
  a: CounterReset,
  b: CounterReset,
): { readonly counterReset: CounterReset; readonly collision: boolean } {
  if (a === b) return { counterReset: a, collision: false };
  if (a === 'gauge' || b === 'gauge') return { counterReset: 'gauge', collision: false };
  return { counterReset: 'unknown', collision: a !== 'unknown' && b !== 'unknown' };
}

export function multiply(histogram: NativeHistogram, factor: number): NativeHistogram {
  const product = scale(histogram, (value) => value * factor);
  return factor < 0 ? { ...product, counterReset: 'gauge' } : product;
}

/** Division by zero leaves no bucket. */
export function divide(histogram: NativeHistogram, divisor: number): NativeHistogram {
  const quotient = scale(histogram, (value) => value / divisor);
  if (divisor === 0) return { ...quotient, positive: NO_BUCKETS, negative: NO_BUCKETS };
  return divisor < 0 ? { ...quotient, counterReset: 'gauge' } : quotient;
}

function scale(histogram: NativeHistogram, by: (value: number) => number): NativeHistogram {
  return {
    ...histogram,
    count: by(histogram.count),
    sum: by(histogram.sum),
    zeroCount: by(histogram.zeroCount),
    positive: compacted(scaled(histogram.positive, by)),
    negative: compacted(scaled(histogram.negative, by)),
  };
}

/** Whether two histograms hold the same data, bit by bit; what is known of their counters does not matter. */
export function isEqual(a: NativeHistogram, b: NativeHistogram): boolean {
  return (
    a.schema === b.schema &&
    Object.is(a.count, b.count) &&
    Object.is(a.sum, b.sum) &&
    a.zeroThreshold === b.zeroThreshold &&
    Object.is(a.zeroCount, b.zeroCount) &&
    haveSameBounds(a, b) &&
    areEqual(a.positive, b.positive) &&
    areEqual(a.negative, b.negative)
  );
}
