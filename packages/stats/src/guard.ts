import { estimate } from './estimate.ts';
import type { Sample, SummableSample } from './sample.ts';
import { addSamples, unitsOf } from './sample.ts';
import { sequentialCriticalOneSided, sequentialRho } from './sequential.ts';
import { normalCritical } from './special/normal.ts';

export interface Guard {
  control: Sample;
  treatment: Sample;
  direction: 'up_is_good' | 'down_is_good';
  /** How much worse the treatment may be. */
  tolerance: number;
  /** Whether the tolerance is in units of the metric or a fraction of the control's value. */
  scale?: 'absolute' | 'relative';
  /** Error rate over all looks and all guards of the release together. */
  alpha?: number;
  /** Guards among which α is split. */
  guards?: number;
  /** Units that each arm needs before a verdict. */
  minUnits?: number;
}

export interface GuardVerdict {
  verdict: 'regression' | 'no_regression' | 'too_few_data';
  control: { n: number; mean: number };
  treatment: { n: number; mean: number };
  /** How much worse the treatment is than the control, in units of the metric; negative where it is better. */
  harm: number;
  /** The lower bound of the harm, which narrows as data arrives. It is absent where there is no variance to judge by. */
  bound?: number;
  /** The harm that is tolerated, in units of the metric. */
  tolerated: number;
}

export const GUARD_ALPHA = 0.05;
const GUARD_MIN_UNITS = 50;

/**
 * One look of a guard: whether the treatment is worse than tolerated, by a one-sided test that may be repeated as often as one likes.
 *
 * A relative tolerance is tested as treatment − (1 ± tolerance) · control, which is linear. The interval of a ratio would err with few
 * events. Where one arm has no variance yet (no errors so far), its variance is taken from both arms together, so that a treatment in
 * which everything fails is not mistaken for one without data.
 */
export function judgeGuard(guard: Guard): GuardVerdict {
  const {
    direction,
    tolerance,
    scale = 'absolute',
    alpha = GUARD_ALPHA,
    guards = 1,
    minUnits = GUARD_MIN_UNITS,
  } = guard;
  const a = estimate(guard.control);
  const b = estimate(guard.treatment);
  const worse = direction === 'down_is_good' ? 1 : -1;
  const tolerated = scale === 'relative' ? tolerance * Math.abs(a.value) : tolerance;
  const harm = worse * (b.value - a.value);
  const base = {
    control: { n: unitsOf(guard.control), mean: a.value },
    treatment: { n: unitsOf(guard.treatment), mean: b.value },
    harm,
    tolerated,
  };
  const factor = scale === 'relative' ? 1 + worse * tolerance * Math.sign(a.value) : 1;
  const [va, vb] = variances(guard, a.variance, b.variance);
  const standardError = Math.sqrt(vb / b.n + (factor * factor * va) / a.n);
  if (!(standardError > 0 && Number.isFinite(standardError))) return { ...base, verdict: 'too_few_data' };
  const share = alpha / guards;
  const n = a.n + b.n;
  const bound = harm - sequentialCriticalOneSided(n, share, sequentialRho(2 * share)) * standardError;
  if (base.control.n < minUnits || base.treatment.n < minUnits) return { ...base, bound, verdict: 'too_few_data' };
  return { ...base, bound, verdict: bound > tolerated ? 'regression' : 'no_regression' };
}

/** The chance with which {@link smallestRegression} is found. */
const FOUND = 0.8;

/**
 * The harm that a guard finds with a chance of 80 % in one look with `unitsPerArm`, where `sample` are the units of one arm that were observed.
 * Undefined where they have no variance.
 */
export function smallestRegression(
  sample: Sample,
  unitsPerArm: number,
  { tolerance, alpha = GUARD_ALPHA, guards = 1 }: { tolerance: number; alpha?: number; guards?: number },
): number | undefined {
  const { n, variance } = estimate(sample);
  const size = (n * unitsPerArm) / unitsOf(sample);
  if (!(variance > 0 && size >= 1)) return undefined;
  const share = alpha / guards;
  const critical = sequentialCriticalOneSided(2 * size, share, sequentialRho(2 * share));
  return tolerance + (critical + normalCritical(1 - FOUND)) * Math.sqrt((2 * variance) / size);
}

/**
 * The arms' variances. An arm without variance borrows that of both arms together: without an error in the control group so far, its
 * error rate is 0 of n, whether it is counted by units or by requests.
 */
function variances({ control, treatment }: Guard, ofControl: number, ofTreatment: number): [number, number] {
  if (ofControl > 0 && ofTreatment > 0) return [ofControl, ofTreatment];
  if (control.kind === 'quantile' || treatment.kind === 'quantile') return [Number.NaN, Number.NaN];
  const pooled = estimate(addSamples<SummableSample>(control, treatment)).variance;
  return [ofControl > 0 ? ofControl : pooled, ofTreatment > 0 ? ofTreatment : pooled];
}
