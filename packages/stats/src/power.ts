import type { Prior } from './bayesian.ts';
import { crossingProbability } from './crossing.ts';
import { sequentialCritical, sequentialRho, TUNED_FOR } from './sequential.ts';
import { normalCritical, normalTail } from './special/normal.ts';

/** The chance that a two-sided test with this critical value, in standard errors, finds an effect. */
export function powerAt(effect: number, standardError: number, critical: number): number {
  const z = effect / standardError;
  return normalTail(critical - z) + normalTail(critical + z);
}

/** Power of one look of a fixed test. The normal distribution stands for Student's t, as in any table of sample sizes. */
export function fixedPower(effect: number, standardError: number, alpha: number): number {
  return powerAt(effect, standardError, normalCritical(alpha / 2));
}

/**
 * The chance that the credible interval lies above 0, for an effect above 0 and a prior on one scale. The posterior's mean passes z of
 * its standard deviations where the estimate passes z·se·√(1 + w) − w·(prior mean), with w = se² / (prior variance).
 */
export function bayesianPower(effect: number, standardError: number, alpha: number, prior?: Prior): number {
  if (prior === undefined) return fixedPower(effect, standardError, alpha);
  const weight = standardError ** 2 / prior.variance;
  const reach = normalCritical(alpha / 2) * standardError * Math.sqrt(1 + weight);
  return normalTail((reach - weight * prior.mean - effect) / standardError);
}

const LOOKS = 20;
/** Larger numbers of units are not stated. */
const MOST_UNITS = 1e12;

/** The chance that the sequential test finds an effect by the time it has n units in both arms, at one of 20 looks on the way. */
export function sequentialPower(
  effect: number,
  standardError: number,
  n: number,
  alpha: number,
  tunedFor = TUNED_FOR,
): number {
  const rho = sequentialRho(alpha, tunedFor);
  const looks = Array.from({ length: LOOKS }, (_, i) => {
    const time = (i + 1) / LOOKS;
    const critical = sequentialCritical(n * time, alpha, rho);
    return { time, upper: critical, lower: -critical };
  });
  return crossingProbability(looks, effect / standardError);
}

/** An arm as the calculator knows it before the experiment. */
export interface Baseline {
  mean: number;
  /** Variance of one unit. */
  variance: number;
}

/**
 * The smallest relative effect that a test of two of the arms finds with this power, where its standard error is that of the relative
 * difference. It is undefined where no effect, however large, would be found: the control's mean is too uncertain.
 */
export function minimalEffect(
  baseline: Baseline,
  perArm: number,
  options: { alpha: number; power: number; sequential?: boolean },
): number | undefined {
  const { alpha, power, sequential = false } = options;
  const z = sequential ? neededDrift(2 * perArm, alpha, power) : normalCritical(alpha / 2) + normalCritical(1 - power);
  const share = (z * z * baseline.variance) / (perArm * baseline.mean ** 2);
  if (!(share < 1)) return undefined;
  // (r / se)² = z² with se² = share / z² · (1 + (1 + r)²), solved for r > 0
  return (share + Math.sqrt(share * (2 - share))) / (1 - share);
}

/** The needed drift changes by less than 0.1 % between steps of n, and takes milliseconds to compute: it is remembered. */
const STEPS_PER_E = 20;
const MOST_DRIFTS = 1_000;
const drifts = new Map<string, number>();

/**
 * Standard errors that the effect must measure so that the sequential test with n units has this power. The probit of the power grows
 * almost exactly as the effect does, so that two corrections suffice.
 */
function neededDrift(n: number, alpha: number, power: number): number {
  const step = Math.round(Math.log(n) * STEPS_PER_E) / STEPS_PER_E;
  const key = `${step} ${alpha} ${power}`;
  const known = drifts.get(key);
  if (known !== undefined) return known;
  const units = Math.exp(step);
  let drift = sequentialCritical(units, alpha) + normalCritical(1 - power);
  for (let i = 0; i < 2; i += 1) {
    drift += normalCritical(sequentialPower(drift, 1, units, alpha)) - normalCritical(power);
  }
  if (drifts.size >= MOST_DRIFTS) drifts.clear();
  drifts.set(key, drift);
  return drift;
}

/** How an effect is looked for: `prior` is of its scale, and makes the answer that of the Bayesian engine. */
interface Search {
  alpha: number;
  power: number;
  sequential: boolean;
  prior?: Prior | undefined;
}

/** Units of both arms that would find an effect with this power, where n of them have left this standard error. */
export function unitsFor(
  effect: number,
  data: { standardError: number; n: number },
  { alpha, power, sequential, prior }: Search,
): number | undefined {
  if (!(effect > 0 && data.standardError > 0)) return undefined;
  const at = (z: number) => data.n * ((z * data.standardError) / effect) ** 2;
  const fixed = at(normalCritical(alpha / 2) + normalCritical(1 - power));
  if (!(fixed <= MOST_UNITS)) return undefined;
  if (prior !== undefined) {
    const found = (n: number) =>
      bayesianPower(effect, data.standardError * Math.sqrt(data.n / n), alpha, prior) >= power;
    return leastUnits(found);
  }
  return Math.ceil(sequential ? at(neededDrift(at(neededDrift(fixed, alpha, power)), alpha, power)) : fixed);
}

/** The number of units from which on an effect is found. A prior that is sure of itself can find it with few of them, or needs many. */
function leastUnits(found: (n: number) => boolean): number | undefined {
  let high = 1;
  while (!found(high)) {
    high *= 2;
    if (high > MOST_UNITS) return undefined;
  }
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.round((low + high) / 2);
    if (found(middle)) high = middle;
    else low = middle;
  }
  return Math.ceil(high);
}

export interface Plan {
  perArm: number;
  total: number;
  /** Days until then at the given traffic. Absent without traffic. */
  days?: number;
}

export interface PlanInput {
  control: Baseline;
  treatment: Baseline;
  alpha: number;
  power: number;
  arms: number;
  /** Units of all arms per day. */
  daily?: number | undefined;
  /** Factor of the variance that CUPED leaves: 1 − correlation². */
  varianceLeft?: number;
}

/**
 * Units that are needed to find the difference of two baselines, looking once (`fixed`), or as often as one likes (`sequential`). With
 * more than two arms α is divided by the number of comparisons with the control. It is undefined where the difference is zero or needs
 * more than 10¹² units.
 */
export function plan(input: PlanInput): { fixed: Plan; sequential: Plan } | undefined {
  const { control, treatment, alpha, power, arms, daily, varianceLeft = 1 } = input;
  const share = alpha / Math.max(1, arms - 1);
  const effect = Math.abs(treatment.mean - control.mean);
  const variance = (control.variance + treatment.variance) * varianceLeft;
  if (!(effect > 0 && variance > 0)) return undefined;
  const fixed = Math.ceil((variance * (normalCritical(share / 2) + normalCritical(1 - power)) ** 2) / effect ** 2);
  if (!(fixed <= MOST_UNITS)) return undefined;
  // The needed drift changes slowly with the size, so that three rounds of inserting one into the other agree to 0.2 %.
  let sequential: number = fixed;
  for (let i = 0; i < 3; i += 1) {
    sequential = (variance * neededDrift(2 * sequential, share, power) ** 2) / effect ** 2;
  }
  if (!(sequential <= MOST_UNITS)) return undefined;
  const of = (perArm: number): Plan => {
    const total = perArm * arms;
    return { perArm, total, ...(daily !== undefined && daily > 0 ? { days: Math.ceil(total / daily) } : {}) };
  };
  return { fixed: of(fixed), sequential: of(Math.ceil(sequential)) };
}
