import type { Effect } from './effect.ts';
import type { Side, Test } from './fixed.ts';

// Asymptotic confidence sequences: Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central limit theory and asymptotic
// confidence sequences", Annals of Statistics 2024, arXiv 2103.06476. Equation numbers are those of version 7.

/** The number of units at which the interval is narrowest. */
export const TUNED_FOR = 5000;

/** The mixture's parameter that makes the interval narrowest at `tunedFor` units (equation 161). */
export function sequentialRho(alpha: number, tunedFor: number = TUNED_FOR): number {
  return Math.sqrt((-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / tunedFor);
}

/** Half the width of the two-sided interval that holds at all times at once, in standard errors (equation 9). */
export function sequentialCritical(n: number, alpha: number, rho: number = sequentialRho(alpha)): number {
  const k = n * rho * rho;
  return Math.sqrt((2 * (k + 1) * Math.log(Math.sqrt(k + 1) / alpha)) / k);
}

/** The same on one side (equation 134). */
export function sequentialCriticalOneSided(n: number, alpha: number, rho: number = sequentialRho(2 * alpha)): number {
  const k = n * rho * rho;
  return Math.sqrt((2 * (k + 1) * Math.log(1 + Math.sqrt(k + 1) / (2 * alpha))) / k);
}

/** A test that may be looked at as often as one likes: its error rate holds over all looks together. */
export function sequentialTest(effect: Effect, alpha: number, side: Side = 'both', tunedFor: number = TUNED_FOR): Test {
  const { difference, standardError, n } = effect;
  if (side === 'both') {
    const rho = sequentialRho(alpha, tunedFor);
    const half = sequentialCritical(n, alpha, rho) * standardError;
    return {
      interval: [difference - half, difference + half],
      pValue: sequentialPValue(difference / standardError, n, rho),
    };
  }
  const rho = sequentialRho(2 * alpha, tunedFor);
  const half = sequentialCriticalOneSided(n, alpha, rho) * standardError;
  const z = (side === 'greater' ? difference : -difference) / standardError;
  const interval: [number, number] =
    side === 'greater' ? [difference - half, Number.POSITIVE_INFINITY] : [Number.NEGATIVE_INFINITY, difference + half];
  return { interval, pValue: oneSidedPValue(z, n, rho) };
}

/** The smallest α whose two-sided interval excludes 0, for z standard errors (equation 155). */
export function sequentialPValue(z: number, n: number, rho: number): number {
  const k = n * rho * rho;
  return Math.min(1, Math.sqrt(k + 1) * Math.exp((-k * z * z) / (2 * (k + 1))));
}

/** The smallest α whose one-sided interval excludes 0: equation 134 solved for α. An effect on the other side has no evidence. */
function oneSidedPValue(z: number, n: number, rho: number): number {
  if (z <= 0) return 1;
  const k = n * rho * rho;
  return Math.min(1, Math.sqrt(k + 1) / (2 * Math.expm1((k * z * z) / (2 * (k + 1)))));
}
