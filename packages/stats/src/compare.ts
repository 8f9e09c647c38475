import type { Prior } from './bayesian.ts';
import { posterior } from './bayesian.ts';
import type { Effects } from './effect.ts';
import { effects } from './effect.ts';
import { estimate } from './estimate.ts';
import { fixedTest } from './fixed.ts';
import { bayesianPower, fixedPower, sequentialPower, unitsFor } from './power.ts';
import type { Sample } from './sample.ts';
import { eventsOf, unitsOf } from './sample.ts';
import { sequentialTest } from './sequential.ts';
import type { StratumPair } from './stratify.ts';
import { stratifiedEffects } from './stratify.ts';

export interface Analysis {
  engine: 'frequentist' | 'bayesian';
  alpha: number;
  /** Whether intervals and p-values hold however often one looks. */
  sequential: boolean;
  lowerIsBetter?: boolean;
  /** Of the relative effect, for the Bayesian engine. */
  prior?: Prior | undefined;
  /** The relative effect that people want to find: `power` and `needed` are about it. */
  target?: number;
}

export interface ArmSummary {
  n: number;
  /** The metric's value without adjustment. Null for an arm without units. */
  mean: number | null;
}

/** Why a comparison has no verdict. */
export type NoVerdict = 'no_variance' | 'too_few_events';

export interface Comparison {
  control: ArmSummary;
  treatment: ArmSummary;
  /** Treatment minus control, in units of the metric. Absent where an arm has no variance. */
  absolute?: { difference: number; standardError: number; interval: [number, number]; pValue: number };
  /** The difference as a fraction of the control's value, for display. Absent where that is 0. */
  relative?: { lift: number; interval: [number, number] };
  bayesian?: { chanceToWin: number; risk: { control: number; treatment: number } };
  /** The chance to find the target effect with the data so far. Absent without a target. */
  power?: number;
  /** Units of both arms with which that chance is 80 %. Absent without a target, or where no number would do. */
  needed?: number;
  theta: number;
  /** Why `absolute.pValue` must not be read as a verdict. */
  reason?: NoVerdict;
}

/** A verdict needs this many events in each arm. With fewer, the normal approximation of small rates errs. */
export const EVENTS_FOR_VERDICT = 10;

/** Compares a treatment with the control. `strata` are the same units divided by an attribute they had before, to reduce the variance. */
export function compare(
  control: Sample,
  treatment: Sample,
  analysis: Analysis,
  strata?: readonly StratumPair[],
): Comparison {
  const result = strata === undefined ? effects(control, treatment) : stratifiedEffects(strata);
  const base = { control: summarize(control), treatment: summarize(treatment) };
  if (result === undefined) return { ...base, theta: 0, reason: 'no_variance' };
  const { absolute, relative } = result;
  const test = analysis.sequential ? sequentialTest : fixedTest;
  const tested = test(absolute, analysis.alpha);
  const few = [control, treatment].some((arm) => (eventsOf(arm) ?? EVENTS_FOR_VERDICT) < EVENTS_FOR_VERDICT);
  return {
    ...base,
    absolute: { difference: absolute.difference, standardError: absolute.standardError, ...tested },
    ...(relative && { relative: { lift: relative.difference, interval: test(relative, analysis.alpha).interval } }),
    ...(analysis.engine === 'bayesian' && believed(result, analysis)),
    ...(analysis.target !== undefined && search(result, analysis, analysis.target, base)),
    theta: result.theta,
    ...(few && { reason: 'too_few_events' as const }),
  };
}

/** An arm's units and value. */
export function summarize(sample: Sample): ArmSummary {
  return { n: unitsOf(sample), mean: sample.n === 0 ? null : estimate(sample).plain };
}

/** The prior of the relative effect on the absolute scale: times the control's value. */
function scaledPrior({ control }: Effects, { prior }: Analysis): Prior | undefined {
  const size = Math.abs(control.plain);
  return prior && size > 0 ? { mean: prior.mean * size, variance: prior.variance * size * size } : undefined;
}

/** Posterior on the absolute scale. Intervals become credible ones. */
function believed(result: Effects, analysis: Analysis): Partial<Comparison> {
  const { absolute, relative } = result;
  const { prior, lowerIsBetter = false, alpha } = analysis;
  const scaled = scaledPrior(result, analysis);
  const options = { ...(scaled && { prior: scaled }), lowerIsBetter };
  const { mean, standardDeviation, interval, chanceToWin, risk } = posterior(absolute, alpha, options);
  const shown = relative && posterior(relative, alpha, { ...(prior && { prior }), lowerIsBetter });
  return {
    absolute: {
      difference: mean,
      standardError: standardDeviation,
      interval,
      pValue: 2 * Math.min(chanceToWin, 1 - chanceToWin),
    },
    ...(shown && { relative: { lift: shown.mean, interval: shown.interval } }),
    bayesian: { chanceToWin, risk },
  };
}

const WANTED_POWER = 0.8;

/** The chance to find the target with the data so far, by the test that decides, and the units with which it is 80 %. */
function search(
  result: Effects,
  analysis: Analysis,
  target: number,
  arms: Pick<Comparison, 'control' | 'treatment'>,
): Pick<Comparison, 'power' | 'needed'> {
  const { absolute, control } = result;
  const { engine, alpha } = analysis;
  const { standardError, n } = absolute;
  const effect = target * Math.abs(control.plain);
  const isBayesian = engine === 'bayesian';
  const sequential = !isBayesian && analysis.sequential;
  const scaled = isBayesian ? scaledPrior(result, analysis) : undefined;
  // The effect that is looked for is an improvement
  const prior = scaled && { ...scaled, mean: analysis.lowerIsBetter ? -scaled.mean : scaled.mean };
  const needed = unitsFor(effect, absolute, { alpha, power: WANTED_POWER, sequential, prior });
  const power = sequential
    ? sequentialPower(effect, standardError, n, alpha)
    : isBayesian
      ? bayesianPower(effect, standardError, alpha, prior)
      : fixedPower(effect, standardError, alpha);
  // A quantile counts its events; they grow with the units
  const units = arms.control.n + arms.treatment.n;
  return { power, ...(needed !== undefined && { needed: Math.ceil((needed * units) / n) }) };
}
