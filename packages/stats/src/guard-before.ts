import { estimate } from './estimate.ts';
import { clearingEstimates, GUARD_ALPHA, type Guard, type GuardVerdict, variances } from './guard.ts';
import { unitsOf } from './sample.ts';
import { sequentialCriticalOneSided } from './sequential.ts';

/** A change over time of this share of the control's value is never taken for harm. */
const DRIFT = 0.5;

/**
 * One look of a guard that compares a variant with a control of an earlier time, since there is none beside it any more. Time itself moves metrics, and no test
 * knows by how much. So the variant has to be worse by a clear margin beyond the tolerance: as much as is tolerated once more, and at least
 * half of the control's value. `tolerated` includes it.
 *
 * The control does not grow any more, so each arm has an interval of its own, with half of α, which holds at all looks (a union bound).
 */
export function judgeBefore(guard: Guard): GuardVerdict {
  const { control, treatment, direction, scale, alpha = GUARD_ALPHA, guards = 1, minUnits = 0 } = guard;
  const [a, b] = [estimate(control), estimate(treatment)];
  const harm = (direction === 'down_is_good' ? 1 : -1) * (b.value - a.value);
  // The margin is far wider than what the error of the control's value adds to a relative tolerance.
  const tolerance = scale === 'relative' ? guard.tolerance * Math.abs(a.value) : guard.tolerance;
  const tolerated = tolerance + Math.max(tolerance, DRIFT * Math.abs(a.value));
  const width = (share: number, va: number, vb: number) => {
    const of = (variance: number, n: number) => sequentialCriticalOneSided(n, share / 2) * Math.sqrt(variance / n);
    const sum = of(va, a.n) + of(vb, b.n);
    return sum > 0 && Number.isFinite(sum) ? sum : undefined;
  };
  const below = width(alpha / guards, ...variances(guard, a.variance, b.variance));
  const [more, evenMore] = clearingEstimates(guard);
  const above = more.variance > 0 && evenMore.variance > 0 ? width(alpha, more.variance, evenMore.variance) : undefined;
  const [bound, upper] = [below && harm - below, above && harm + above];
  const known = {
    control: { n: unitsOf(control), mean: a.value },
    treatment: { n: unitsOf(treatment), mean: b.value },
    harm,
    tolerated,
    ...(bound !== undefined && { bound }),
    ...(upper !== undefined && { upper }),
  };
  if (known.control.n < minUnits || known.treatment.n < minUnits) return { ...known, verdict: 'not_sure' };
  if (bound !== undefined && bound > tolerated) return { ...known, verdict: 'harm' };
  return { ...known, verdict: upper !== undefined && upper <= tolerated ? 'no_harm' : 'not_sure' };
}
