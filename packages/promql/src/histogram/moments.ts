import { CompensatedSum } from '../numbers.ts';
import { allBuckets, usesCustomBuckets } from './bounds.ts';
import type { NativeHistogram } from './native-histogram.ts';

/** The variance of the observations, each taken to be in the middle of its bucket: the geometric one of exponential buckets. */
export function histogramVariance(histogram: NativeHistogram): number {
  const mean = histogram.sum / histogram.count;
  const squares = new CompensatedSum();
  for (const { lower, upper, count } of allBuckets(histogram)) {
    if (count === 0) continue;
    const distance = middle(lower, upper, usesCustomBuckets(histogram)) - mean;
    squares.add(count * distance * distance);
  }
  return squares.sum / histogram.count;
}

function middle(lower: number, upper: number, isCustom: boolean): number {
  if (isCustom) return (upper + lower) / 2;
  if (lower <= 0 && upper >= 0) return 0;
  const root = Math.sqrt(upper * lower);
  return upper < 0 ? -root : root;
}
