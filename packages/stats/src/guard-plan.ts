import { estimate } from './estimate.ts';
import { clearingEstimates, GUARD_ALPHA, type Guard, grown } from './guard.ts';
import type { Sample } from './sample.ts';
import { unitsOf } from './sample.ts';
import { sequentialCriticalOneSided, sequentialRho } from './sequential.ts';
import { normalCritical } from './special/normal.ts';

/** What a guard will be asked, of arms that are like units of the past. */
export interface GuardPlan extends Pick<Guard, 'direction' | 'tolerance' | 'scale' | 'alpha' | 'guards'> {
  /** Units of the control for each unit of the treatment. */
  ratio?: number;
}

/** The chance of the verdict that a plan tells. */
const CHANCE = 0.8;
/** More units than any release has. */
const MOST_UNITS = 1e10;

/**
 * The harm that a guard finds with a chance of 80 % in one look with so many units of the treatment, where `sample` are the units of
 * one arm that were observed. Undefined where they have no variance.
 */
export function smallestRegression(sample: Sample, units: number, plan: GuardPlan): number | undefined {
  const { n, value, variance } = estimate(sample);
  const { ratio = 1 } = plan;
  const size = (n * units) / unitsOf(sample);
  if (!(variance > 0 && size * Math.min(1, ratio) >= 1)) return undefined;
  const error = Math.sqrt(variance / size + (factorAt(plan, value) * variance) / (size * ratio));
  return toleratedAt(plan, value) + margin(plan, size) * error;
}

/**
 * Units of the treatment at which a guard finds a harm, in units of the metric, with a chance of 80 % in one look. Undefined where
 * the harm is tolerated, or nothing is known about how the values vary.
 */
export function unitsToDetect(sample: Sample, harm: number, plan: GuardPlan): number | undefined {
  const { n, value } = estimate(sample);
  const { ratio = 1, direction } = plan;
  const excess = harm - toleratedAt(plan, value);
  const worse = direction === 'down_is_good' ? harm : -harm;
  // A control without variance borrows that of both arms together, as in a look.
  const ofTreatment = varianceAt(sample, worse);
  const ofControl = factorAt(plan, value) * (varianceAt(sample, 0) || varianceAt(sample, worse / (1 + ratio)));
  if (!(excess > 0 && ofTreatment > 0 && ofControl > 0)) return undefined;
  return fewestUnits((units) => {
    const size = (n * units) / unitsOf(sample);
    return margin(plan, size) * Math.sqrt(ofTreatment / size + ofControl / (size * ratio)) <= excess;
  });
}

/**
 * Units of the treatment at which a guard says that there is no harm, with a chance of 80 % in one look, if there is none. Undefined
 * where nothing is tolerated, or nothing is known about how the values vary.
 */
export function unitsToClear(sample: Sample, plan: GuardPlan): number | undefined {
  const { n, value } = estimate(sample);
  const { ratio = 1, alpha = GUARD_ALPHA } = plan;
  const tolerated = toleratedAt(plan, value);
  if (!(tolerated > 0 && n > 0)) return undefined;
  return fewestUnits((units) => {
    const treatment = grown(sample, units / unitsOf(sample));
    const control = grown(sample, (units * ratio) / unitsOf(sample));
    const [a, b] = clearingEstimates({ control, treatment });
    if (!(a.variance > 0 && b.variance > 0)) return false;
    const error = Math.sqrt(b.variance / b.n + (factorAt(plan, value) * a.variance) / a.n);
    return (sequentialCriticalOneSided(a.n + b.n, alpha) + normalCritical(1 - CHANCE)) * error <= tolerated;
  });
}

function toleratedAt({ tolerance, scale }: Pick<GuardPlan, 'tolerance' | 'scale'>, value: number): number {
  return scale === 'relative' ? tolerance * Math.abs(value) : tolerance;
}

/** What the variance of the control is multiplied by: a relative tolerance is a part of the control's value. */
function factorAt({ tolerance, scale, direction }: GuardPlan, value: number): number {
  const worse = direction === 'down_is_good' ? 1 : -1;
  return scale === 'relative' ? (1 + worse * tolerance * Math.sign(value)) ** 2 : 1;
}

/** How many standard errors beyond its tolerance a guard sees with the chance of a plan. */
function margin({ alpha = GUARD_ALPHA, guards = 1, ratio = 1 }: GuardPlan, size: number): number {
  const share = alpha / guards;
  const critical = sequentialCriticalOneSided(size * (1 + ratio), share, sequentialRho(2 * share));
  return critical + normalCritical(1 - CHANCE);
}

/** The variance of one unit if the value moved by so much. Only shares of units or rows that have an event vary with their value. */
function varianceAt(sample: Sample, moved: number): number {
  const { value, variance } = estimate(sample);
  const share = Math.min(1, Math.max(0, value + moved));
  if (sample.kind === 'proportion') return share * (1 - share);
  const rowsPerUnit = sample.kind === 'ratio' ? sample.y / sample.n : 0;
  return variance > 0 || rowsPerUnit === 0 ? variance : (share * (1 - share)) / rowsPerUnit;
}

/** The smallest number for which it holds, if it holds for all above it too. */
function fewestUnits(holds: (units: number) => boolean): number | undefined {
  if (!holds(MOST_UNITS)) return undefined;
  let [low, high] = [0, MOST_UNITS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
