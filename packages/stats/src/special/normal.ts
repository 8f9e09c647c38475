import { upperGamma, upperGammaFraction } from './gamma.ts';

const SQRT_TWO_PI = 2.5066282746310007;

/** Density of the standard normal distribution. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / SQRT_TWO_PI;
}

/** P(Z > z) for a standard normal Z. It keeps its relative accuracy far into the tail: P(Z > 30) is 4.9e-198. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  return upperGamma(0.5, (z * z) / 2) / 2;
}

/** P(Z ≤ z) for a standard normal Z. */
export function normalCdf(z: number): number {
  return normalTail(-z);
}

/** Mills' ratio P(Z > z) / density(z) for z ≥ 0, which neither underflows nor cancels. */
export function millsRatio(z: number): number {
  if (z < 2) return normalTail(z) / normalDensity(z);
  return (upperGammaFraction(0.5, (z * z) / 2) * z) / 2;
}

/**
 * The z with P(Z > z) = p, for 0 < p < 1. It starts from the rational approximation 26.2.23 of Abramowitz and Stegun and refines
 * with Halley's method.
 */
export function normalCritical(p: number): number {
  if (!(p > 0 && p < 1)) return p <= 0 ? Number.POSITIVE_INFINITY : p >= 1 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (p > 0.5) return -normalCritical(1 - p);
  const r = Math.sqrt(-2 * Math.log(p));
  let z = r - (2.515517 + r * (0.802853 + r * 0.010328)) / (1 + r * (1.432788 + r * (0.189269 + r * 0.001308)));
  for (let i = 0; i < 4; i += 1) {
    const step = (normalTail(z) - p) / normalDensity(z);
    z += step / (1 - (z * step) / 2);
  }
  return z;
}
