import { chiSquareTail } from './special/chi-square.ts';

/**
 * Whether independent effects are equal: Cochran's Q, the sum of squared distances from their weighted mean in standard errors, is χ²
 * distributed with one degree of freedom less than there are effects. Undefined for fewer than two.
 *
 * Source: Cochran, "The Combination of Estimates from Different Experiments", Biometrics 10, 1954.
 */
export function heterogeneity(
  effects: readonly { readonly difference: number; readonly standardError: number }[],
): { q: number; df: number; pValue: number } | undefined {
  if (effects.length < 2) return undefined;
  const weights = effects.map(({ standardError }) => 1 / standardError ** 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = effects.reduce((sum, { difference }, i) => sum + difference * (weights[i] ?? 0), 0) / total;
  const q = effects.reduce((sum, { difference }, i) => sum + (weights[i] ?? 0) * (difference - mean) ** 2, 0);
  const df = effects.length - 1;
  return { q, df, pValue: chiSquareTail(q, df) };
}
