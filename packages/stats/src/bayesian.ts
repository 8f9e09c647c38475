import type { Effect } from './effect.ts';
import { millsRatio, normalCdf, normalCritical, normalDensity } from './special/normal.ts';

/** A normal prior of the effect, on the scale of the effect. */
export interface Prior {
  mean: number;
  variance: number;
}

export interface Posterior {
  mean: number;
  standardDeviation: number;
  /** The probability that the treatment is better than the control. */
  chanceToWin: number;
  interval: [number, number];
  /** What one expects to lose by choosing the control, and by choosing the treatment, where that is the wrong choice. */
  risk: { control: number; treatment: number };
}

/**
 * The posterior of an effect under a normal prior, or a flat one where there is none. A probability is not an error rate: who stops at
 * the first chance to win above 95 % is wrong more often than in 5 % of experiments without an effect.
 */
export function posterior(
  effect: Effect,
  alpha: number,
  options: { prior?: Prior; lowerIsBetter?: boolean } = {},
): Posterior {
  const { prior, lowerIsBetter = false } = options;
  const data = 1 / effect.standardError ** 2;
  const precision = data + (prior === undefined ? 0 : 1 / prior.variance);
  const mean =
    prior === undefined ? effect.difference : (effect.difference * data + prior.mean / prior.variance) / precision;
  const sd = 1 / Math.sqrt(precision);
  const half = normalCritical(alpha / 2) * sd;
  const greater = normalCdf(mean / sd);
  const gain = expectedExcess(mean, sd);
  const loss = expectedExcess(-mean, sd);
  return {
    mean,
    standardDeviation: sd,
    chanceToWin: lowerIsBetter ? normalCdf(-mean / sd) : greater,
    interval: [mean - half, mean + half],
    risk: lowerIsBetter ? { control: loss, treatment: gain } : { control: gain, treatment: loss },
  };
}

/** E max(X, 0) of a normal X. Far below zero Mills' ratio avoids the cancellation of the closed form. */
export function expectedExcess(mean: number, sd: number): number {
  const z = mean / sd;
  if (z >= 0) return mean * normalCdf(z) + sd * normalDensity(z);
  return sd * normalDensity(z) * (1 + z * millsRatio(-z));
}
