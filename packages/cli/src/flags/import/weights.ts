import { TOTAL_WEIGHT } from '@fanion/flag-engine';
import type { RolloutDocument } from '../document.ts';

/**
 * Whole numbers of buckets as weights that sum to 100000. The end of each part is rounded, and not its size, so that it
 * stays nearest to the bucket that it ended on: the engine finds the same bucket again.
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
