/** The sum of a split's weights: thousandths of a percent. */
export const TOTAL = 100_000;

export interface Weight {
  variant: string;
  /** Out of 100000. */
  weight: number;
}

/** Parses `12.5` (also with a comma or a % sign) to 12500; null if it is not a percentage from 0 to 100. */
export function parsePercent(text: string): number | null {
  const match = /^\s*(\d{1,3})(?:[.,](\d{0,3}))?\s*%?\s*$/.exec(text);
  if (!match) return null;
  const weight = Number(match[1]) * 1000 + Number((match[2] ?? '').padEnd(3, '0'));
  return weight <= TOTAL ? weight : null;
}

/** 12500 to `12.5`: as many decimals as it needs, at most three. */
export function percentText(weight: number): string {
  return String(weight / 1000);
}

/** An even split in the given order; the remainder goes to the first variants, so that the sum is exact. */
export function evenSplit(variants: readonly string[]): Weight[] {
  if (variants.length === 0) return [];
  const share = Math.floor(TOTAL / variants.length);
  const rest = TOTAL - share * variants.length;
  return variants.map((variant, index) => ({ variant, weight: share + (index < rest ? 1 : 0) }));
}

/** The weight missing to 100%; negative if there is too much. */
export function remainder(weights: readonly Weight[]): number {
  return TOTAL - weights.reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * Sets one share. Of two variants the other gets the rest; with more, the others stay and the user must correct the
 * sum.
 */
export function setShare(weights: readonly Weight[], variant: string, weight: number): Weight[] {
  return weights.map((entry) => {
    if (entry.variant === variant) return { ...entry, weight };
    return weights.length === 2 ? { ...entry, weight: TOTAL - weight } : entry;
  });
}

/** Adds the missing weight to one variant, or removes the excess from it, at most to zero. */
export function giveRest(weights: readonly Weight[], variant: string): Weight[] {
  const rest = remainder(weights);
  return weights.map((entry) =>
    entry.variant === variant ? { ...entry, weight: Math.max(0, entry.weight + rest) } : entry,
  );
}

/**
 * Adds missing variants in the flag's order after the existing ones: order is part of the bucketing, so existing shares
 * keep their places.
 */
export function withAllVariants(weights: readonly Weight[], variants: readonly string[]): Weight[] {
  const known = new Set(weights.map(({ variant }) => variant));
  return [...weights, ...variants.filter((variant) => !known.has(variant)).map((variant) => ({ variant, weight: 0 }))];
}
