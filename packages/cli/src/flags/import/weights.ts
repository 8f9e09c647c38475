import { TOTAL_WEIGHT } from '@fanion/flag-engine';
import type { RolloutDocument } from '../document.ts';

/**
 * Shares of any scale as weights that sum to 100000: each rounded down, what is left to those that lost most (the
 * largest remainder method), so that equal shares stay within a thousandth of a percent of each other.
 */
export function weightsOf(
  shares: readonly { readonly variant: string; readonly share: number }[],
): RolloutDocument['weights'] {
  const merged = new Map<string, number>();
  for (const { variant, share } of shares) merged.set(variant, (merged.get(variant) ?? 0) + Math.max(0, share));
  const sum = [...merged.values()].reduce((a, b) => a + b, 0);
  if (sum === 0) return [];
  const exact = [...merged].map(([variant, share]) => ({ variant, exact: (share / sum) * TOTAL_WEIGHT }));
  const weights = exact.map(({ variant, exact }) => ({ variant, weight: Math.floor(exact + 1e-6) }));
  let rest = TOTAL_WEIGHT - weights.reduce((total, { weight }) => total + weight, 0);
  const byLoss = exact
    .map(({ exact }, i) => ({ i, loss: exact - Math.floor(exact + 1e-6) }))
    .sort((a, b) => b.loss - a.loss);
  for (const { i } of byLoss) {
    const entry = weights[i];
    if (rest <= 0 || entry === undefined) break;
    entry.weight += 1;
    rest -= 1;
  }
  return weights;
}
