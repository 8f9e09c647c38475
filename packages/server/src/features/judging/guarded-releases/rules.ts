import type { GuardedLook } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';

export interface GuardedStep {
  /** Of 100000. */
  readonly weight: number;
  readonly hold: string;
  readonly min_units: number;
}

/** The part of a guarded release that a look decides about. */
export interface Watched {
  readonly variant: string;
  readonly control: string;
  readonly steps: readonly GuardedStep[];
  /** In the order of the guards of a look. */
  readonly guards: readonly { readonly on_regression: 'rollback' | 'pause' }[];
  /** Guards, by their index, whose regression a person has accepted. */
  readonly accepted: readonly number[];
  /** Index of the step that is served. */
  readonly step: number;
  readonly stepStartedAt: Date;
  /** Set while it waits for a person. */
  readonly pausedReason: string | null;
}

export type Decision =
  | { readonly move: 'rollback' | 'pause' | 'complete'; readonly reason: string }
  /** `held`: something forbids the next step, beyond that its time has not come. */
  | { readonly move: 'wait'; readonly held: boolean; readonly reason: string }
  | { readonly move: 'step'; readonly step: number; readonly reason: string };

/** Units that saw both arms are left out; if there are more than this share of them, the rest may not be comparable. */
const maxCrossedShare = 0.05;

/**
 * What a look decides. A regression counts first: it rolls back even if the sample ratio is wrong, since a variant that fails may
 * lose the very reports that are missing. Everything that is not known holds: a step is taken only if each guard had enough
 * data and found nothing.
 */
export function decide(watched: Watched, look: GuardedLook, now: Date): Decision {
  const { variant, control, steps, guards, accepted, step } = watched;
  const regressions = look.guards.flatMap((numbers, i) =>
    numbers.verdict === 'regression' && !accepted.includes(i)
      ? [{ numbers, rolls: guards[i]?.on_regression !== 'pause' }]
      : [],
  );
  const worst = regressions.find(({ rolls }) => rolls);
  if (worst !== undefined) return { move: 'rollback', reason: regressionText(worst.numbers) };
  if (watched.pausedReason !== null) return { move: 'wait', held: true, reason: watched.pausedReason };
  const [found] = regressions;
  if (found !== undefined) return { move: 'pause', reason: regressionText(found.numbers) };

  const hold = (reason: string): Decision => ({ move: 'wait', held: true, reason });
  if (!look.sample_ratio.ok)
    return hold('The shares of the arms do not fit the weights, so the numbers cannot be trusted.');
  const of = (arm: string) => look.units[arm] ?? 0;
  const units = of(variant) + of(control);
  if (look.crossed > maxCrossedShare * (units + look.crossed))
    return hold(`${look.crossed} of ${units + look.crossed} units saw both arms, so the arms cannot be compared.`);
  const failed = look.guards.find(({ error }) => error !== null);
  if (failed !== undefined) return hold(`${failed.name} could not be measured: ${failed.error}`);

  const current = steps[step];
  if (current === undefined) throw new Error(`a guarded release has no step ${step}`);
  const due = watched.stepStartedAt.getTime() + durationMs(current.hold);
  if (due > now.getTime())
    return { move: 'wait', held: false, reason: `Step ${step + 1} is held for ${current.hold}.` };
  if (of(variant) < current.min_units || of(control) < current.min_units)
    return hold(
      `Too few data: ${of(variant)} and ${of(control)} units, the step needs ${current.min_units} in each arm.`,
    );
  const few = look.guards.find(({ verdict }) => verdict === 'too_few_data');
  if (few !== undefined)
    return hold(
      `Too few data for ${few.name}: ${few.treatment.n} and ${few.control.n} units have rows${few.bound === null && few.treatment.n > 0 ? ', whose values differ too little to state an error' : ''}.`,
    );
  if (step + 1 < steps.length)
    return { move: 'step', step: step + 1, reason: `No guard found a regression in step ${step + 1}.` };
  return { move: 'complete', reason: 'No guard found a regression in any step.' };
}

function regressionText({ metric, name, control, treatment, bound, tolerance }: GuardedLook['guards'][number]): string {
  const at = (value: number | null) => (value === null ? 'unknown' : toldValue(metric, value));
  return `${name} is worse: ${at(treatment.mean)} against ${at(control.mean)}, by at least ${at(bound)}; ${at(tolerance)} is tolerated.`;
}

/** Built-in metrics, also by the names that they had before. */
const nanoseconds = ['latency', 'latency_p95', 'p95_latency'];

/** A value as people read it, where the unit of the metric is known. */
function toldValue(metric: string, value: number): string {
  if (metric === 'error_rate') return `${shortNumber(100 * value)} %`;
  if (nanoseconds.includes(metric)) return `${shortNumber(value / 1e6)} ms`;
  return shortNumber(value);
}

/** Four digits that matter. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** When the next step is due at the earliest; null while it does not move. */
export function nextStepAt({
  state,
  steps,
  step,
  stepStartedAt,
  pausedReason,
}: {
  readonly state: string;
  readonly steps: readonly GuardedStep[];
  readonly step: number;
  readonly stepStartedAt: Date | null;
  readonly pausedReason: string | null;
}): Date | null {
  const current = steps[step];
  if ((state !== 'armed' && state !== 'monitoring') || current === undefined) return null;
  if (stepStartedAt === null || pausedReason !== null) return null;
  return new Date(stepStartedAt.getTime() + durationMs(current.hold));
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The issues of a definition by itself. */
export function checkSteps(steps: readonly GuardedStep[]): Issue[] {
  return steps.flatMap(({ weight }, i) => {
    const before = steps[i - 1]?.weight ?? 0;
    return weight > before ? [] : [{ path: `steps.${i}.weight`, message: 'must be above the previous step' }];
  });
}
