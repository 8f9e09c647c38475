import { upperGamma } from './gamma.ts';

/** P(X > x) for a χ² distribution with `df` degrees of freedom. */
export function chiSquareTail(x: number, df: number): number {
  return upperGamma(df / 2, x / 2);
}
