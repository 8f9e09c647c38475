import { TOTAL_WEIGHT } from '@fanion/flag-engine';
import type { RolloutDocument } from '../document.ts';

/**
 * Converts whole numbers of buckets to weights that sum to 100000. Rounds the end of each part, not its size, so that it
 * stays closest to the bucket that it ends on: the engine finds the same bucket again.
 *
 * @param parts sum to `total`
 */
export function weightsOf(
  parts: readonly { readonly variant: string; readonly buckets: number }[],
  total: number,
): RolloutDocument['weights'] {
  let sum = 0;
  let end = 0;
  return parts
    .filter(({ buckets }) => buckets > 0)
    .map(({ variant, buckets }) => {
      sum += buckets;
      const from = end;
      end = Math.round((sum * TOTAL_WEIGHT) / total);
      return { variant, weight: end - from };
    });
}

/** Weights as LaunchDarkly reads them if their sum is another: the last part ends at 100000, and none goes beyond. */
export function summingToTotal(weights: readonly number[]): number[] {
  let end = 0;
  return weights.map((weight, i) => {
    const from = end;
    end = i === weights.length - 1 ? TOTAL_WEIGHT : Math.min(TOTAL_WEIGHT, from + weight);
    return end - from;
  });
}
