import { type Estimate, estimate } from './estimate.ts';
import type { Sample, SummableSample } from './sample.ts';
import { addSamples, unitsOf } from './sample.ts';
import { sequentialCriticalOneSided, sequentialRho } from './sequential.ts';

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
  /**
   * `harm`: it is worse than tolerated, whatever chance does. `no_harm`: it is not, whatever chance does. `not_sure`: the interval of the
   * harm has the tolerance in it, or there is nothing to judge by.
   */
  verdict: 'harm' | 'no_harm' | 'not_sure';
  control: { n: number; mean: number };
  treatment: { n: number; mean: number };
  /** How much worse the treatment is than the control, in units of the metric; negative where it is better. */
  harm: number;
  /** The lower bound of the harm, which narrows as data arrives. It is absent where there is no variance to judge by. */
  bound?: number;
  /** The upper bound of the harm. It is absent where no error can be stated. */
  upper?: number;
  /** The harm that is tolerated, in units of the metric. */
  tolerated: number;
}

export const GUARD_ALPHA = 0.05;
const GUARD_MIN_UNITS = 50;

/**
 * One look of a guard: whether the treatment is worse than tolerated, by one-sided tests that may be repeated as often as one likes. The
 * chance of a false `harm` is α for all guards of the release together. That of a false `no_harm` is α for each guard: a step needs
 * `no_harm` of all of them, so one that does harm is passed no more often (an intersection-union test: Berger, "Multiparameter Hypothesis Testing and
 * Acceptance Sampling", Technometrics 1982).
 *
 * A relative tolerance is tested as treatment − (1 ± tolerance) · control, which is linear. The interval of a ratio would err with few
 * events. Where one arm has no variance yet (no errors so far), its variance is taken from both arms together, so that a treatment in
 * which everything fails is not mistaken for one without data. The upper bound counts one more event in each arm, as Agresti and Caffo do
 * ("Simple and Effective Confidence Intervals for Proportions", The American Statistician 2000): no error in 100 units does not prove that there are none.
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
  const share = alpha / guards;
  const n = a.n + b.n;
  const isStated = standardError > 0 && Number.isFinite(standardError);
  const bound = isStated
    ? harm - sequentialCriticalOneSided(n, share, sequentialRho(2 * share)) * standardError
    : undefined;
  const clearing = clearingError(guard, factor);
  const upper = clearing === undefined ? undefined : harm + sequentialCriticalOneSided(n, alpha) * clearing;
  const known = { ...base, ...(bound !== undefined && { bound }), ...(upper !== undefined && { upper }) };
  if (base.control.n < minUnits || base.treatment.n < minUnits) return { ...known, verdict: 'not_sure' };
  if (bound !== undefined && bound > tolerated) return { ...known, verdict: 'harm' };
  return { ...known, verdict: upper !== undefined && upper <= tolerated ? 'no_harm' : 'not_sure' };
}

/**
 * Units of each arm, on average, at which a guard that is not sure decides if what it has measured so far stays as it is. Undefined where that is
 * more than a thousand times as many.
 */
export function unitsToDecide(guard: Guard): number | undefined {
  const now = (unitsOf(guard.control) + unitsOf(guard.treatment)) / 2;
  const isDecided = (times: number) => {
    const [control, treatment] = [grown(guard.control, times), grown(guard.treatment, times)];
    return judgeGuard({ ...guard, control, treatment }).verdict !== 'not_sure';
  };
  let [low, high] = [1, 1_000];
  if (!isDecided(high)) return undefined;
  while ((high - low) * now > 1) {
    const middle = (low + high) / 2;
    if (isDecided(middle)) high = middle;
    else low = middle;
  }
  return Math.ceil(high * now);
}

/** The sample if so many times as many units came, and all were as those so far. */
export function grown(sample: Sample, times: number): Sample {
  const scaled = <T extends object>(sums: T): T =>
    Object.fromEntries(
      Object.entries(sums).map(([key, value]) => [key, typeof value === 'number' ? value * times : value]),
    ) as T;
  if (sample.kind !== 'quantile') return scaled(sample);
  const { level, value, clusters } = sample;
  const near = (bound: number) => value + (bound - value) / Math.sqrt(times);
  const rest = { level, value, lower: near(sample.lower), upper: near(sample.upper) };
  return { ...scaled(sample), ...rest, ...(clusters && { clusters: scaled(clusters) }) };
}

/** The standard error of the harm with one more event in each arm; undefined where none can be stated. */
function clearingError(guard: Guard, factor: number): number | undefined {
  const [a, b] = clearingEstimates(guard);
  const error = Math.sqrt(b.variance / b.n + (factor * factor * a.variance) / a.n);
  return a.variance > 0 && b.variance > 0 && Number.isFinite(error) ? error : undefined;
}

/** The arms with one more event each. */
export function clearingEstimates({ control, treatment }: Pick<Guard, 'control' | 'treatment'>): [Estimate, Estimate] {
  if (control.kind === 'quantile' || treatment.kind === 'quantile') return [estimate(control), estimate(treatment)];
  const size = eventSize(addSamples<SummableSample>(control, treatment));
  return [estimate(withEvent(control, size)), estimate(withEvent(treatment, size))];
}

/** What an event adds to its unit: the mean over the units that have one, and 1 where there was none. */
function eventSize(sample: SummableSample): number {
  const events = sample.kind === 'proportion' ? sample.x : (sample.events ?? sample.n);
  return events > 0 && sample.x !== 0 ? sample.x / events : 1;
}

/** The sample with one more unit that has the event; of a proportion also with one that has not. */
function withEvent(sample: SummableSample, size: number): SummableSample {
  const n = sample.n + 1;
  switch (sample.kind) {
    case 'proportion':
      return { ...sample, n: n + 1, x: sample.x + 1 };
    case 'mean':
      return { ...sample, n, x: sample.x + size, xx: sample.xx + size * size };
    case 'ratio': {
      const below = sample.n === 0 ? 0 : sample.y / sample.n;
      const { x, xx, y, yy, xy } = sample;
      return {
        ...sample,
        n,
        x: x + size,
        xx: xx + size * size,
        y: y + below,
        yy: yy + below * below,
        xy: xy + size * below,
      };
    }
    default:
      return sample;
  }
}

/**
 * The arms' variances. An arm without variance borrows that of both arms together: without an error in the control group so far, its
 * error rate is 0 of n, whether it is counted by units or by requests.
 */
export function variances(
  { control, treatment }: Pick<Guard, 'control' | 'treatment'>,
  ofControl: number,
  ofTreatment: number,
): [number, number] {
  if (ofControl > 0 && ofTreatment > 0) return [ofControl, ofTreatment];
  if (control.kind === 'quantile' || treatment.kind === 'quantile') return [Number.NaN, Number.NaN];
  const pooled = estimate(addSamples<SummableSample>(control, treatment)).variance;
  return [ofControl > 0 ? ofControl : pooled, ofTreatment > 0 ? ofTreatment : pooled];
}
