import type { Estimate } from './estimate.ts';
import { estimate, hasError, pooledTheta } from './estimate.ts';
import type { Sample } from './sample.ts';

/** The difference of two arms on one scale, with its standard error. */
export interface Effect {
  difference: number;
  standardError: number;
  /** Degrees of freedom by Welch and Satterthwaite. */
  df: number;
  /** Units of both arms. */
  n: number;
}

export interface Effects {
  control: Estimate;
  treatment: Estimate;
  theta: number;
  /** Treatment minus control. Verdicts are taken on this scale. */
  absolute: Effect;
  /** The same as a fraction of the control's plain value. It is for display: with few events its interval errs too often. */
  relative: Effect | undefined;
}

/**
 * Effects of a treatment. It is undefined where an arm has no variance (one unit, all values equal, an interval that collapsed, a sum that overflowed),
 * since then no error can be stated.
 */
export function effects(control: Sample, treatment: Sample): Effects | undefined {
  if (control.kind !== treatment.kind) {
    throw new TypeError(`the arms have different kinds: ${control.kind} and ${treatment.kind}`);
  }
  const theta = control.kind === 'quantile' || treatment.kind === 'quantile' ? 0 : pooledTheta(control, treatment);
  const [a, b] = [estimate(control, theta), estimate(treatment, theta)];
  if (!hasError(a) || !hasError(b)) return undefined;
  // Without the adjustment a mean's difference has the same expectation. gbstats takes it here, so that lifts are equal to its digits.
  const slope = control.kind === 'adjusted' ? b.plain - a.plain : b.value - a.value;
  return { control: a, treatment: b, theta, absolute: absoluteEffect(a, b), relative: relativeEffect(a, b, slope) };
}

function absoluteEffect(a: Estimate, b: Estimate): Effect {
  return {
    difference: b.value - a.value,
    standardError: Math.sqrt(a.variance / a.n + b.variance / b.n),
    df: welchDegrees(a, b),
    n: a.n + b.n,
  };
}

/**
 * (b − a) / |p| where p is the control's plain value, by the delta method. The control's share of the variance has the gradient of
 * −a / |p| − (b − a) · p / |p|³, in which a and p are correlated: they are equal without CUPED. `difference` is what stands for b − a in
 * the gradient.
 */
export function relativeEffect(a: Estimate, b: Estimate, difference = b.value - a.value): Effect | undefined {
  const size = Math.abs(a.plain);
  if (size === 0) return undefined;
  const slope = difference / a.plain;
  const ofControl = a.variance + 2 * slope * a.covariance + slope * slope * a.plainVariance;
  const variance = (b.variance / b.n + ofControl / a.n) / (size * size);
  if (!(variance > 0 && Number.isFinite(variance))) return undefined;
  return {
    difference: (b.value - a.value) / size,
    standardError: Math.sqrt(variance),
    df: welchDegrees(a, b),
    n: a.n + b.n,
  };
}

/** Welch and Satterthwaite's degrees of freedom, of the unscaled variances on both scales. */
export function welchDegrees(a: Estimate, b: Estimate): number {
  const va = a.variance / a.n;
  const vb = b.variance / b.n;
  return (va + vb) ** 2 / (va ** 2 / ((a.units ?? a.n) - 1) + vb ** 2 / ((b.units ?? b.n) - 1));
}
