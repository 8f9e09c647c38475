import type { GuardedLook } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';
import { longestWatch, type Watch, watchEndsAt, watchedText } from './watch-rules.ts';

export interface GuardedStep {
  /** Of 100000. */
  readonly weight: number;
  readonly hold: string;
  readonly min_units: number;
}

/** The part of a guarded release that a look decides about. */
export interface Watched extends Watch {
  readonly variant: string;
  readonly control: string;
  readonly steps: readonly GuardedStep[];
  /** In the order of the guards of a look. */
  readonly guards: readonly { readonly on_regression: 'rollback' | 'pause'; readonly min_units: number }[];
  /** Guards, by their index, whose regression a person has accepted. */
  readonly accepted: readonly number[];
  readonly whenUnsure: 'hold' | 'advance' | 'rollback';
  /** How long a step is held for guards that are not sure, before its channels are asked. */
  readonly holdAtMost: string;
  /** When the first unit could be seen. */
  readonly armedAt: Date;
  /** Index of the step that is served. */
  readonly step: number;
  readonly stepStartedAt: Date;
  /** Set while it waits for a person. */
  readonly pausedReason: string | null;
  /** The step from which a person has decided to go on although guards are not sure. */
  readonly passed: number | undefined;
}

/** What can hold a step beside guards that are not sure. */
export type Hold = 'sample_ratio' | 'crossed' | 'failed_guard' | 'units' | 'rows' | 'unmeasured';

export type Decision =
  /** `watch`: everybody gets the variant, and the guards go on. */
  | { readonly move: 'rollback' | 'pause' | 'watch' | 'complete'; readonly reason: string }
  /** `held`: something forbids the next step, beyond that its time has not come. `tell`: what people hear of once in a step, if anything. */
  | { readonly move: 'wait'; readonly held: boolean; readonly tell?: Hold | undefined; readonly reason: string }
  /** Everything but a guard that is not sure allows the next step. `isLate`: people have to decide. */
  | { readonly move: 'unsure'; readonly isLate: boolean; readonly reason: string }
  | { readonly move: 'step'; readonly step: number; readonly reason: string };

/** Units that saw both arms are left out; if there are more than this share of them, the rest may not be comparable. */
const maxCrossedShare = 0.05;

/**
 * What a look decides. Harm counts first: it rolls back even if the sample ratio is wrong, since a variant that fails may
 * lose the very reports that are missing. Everything that is not known holds: a step is taken only if each guard says that there is no
 * harm, unless the release says otherwise.
 */
export function decide(watched: Watched, look: GuardedLook, now: Date): Decision {
  const { variant, control, steps, guards, accepted, step } = watched;
  const harmful = look.guards.flatMap((numbers, i) =>
    numbers.verdict === 'harm' && !accepted.includes(i)
      ? [{ numbers, rolls: guards[i]?.on_regression !== 'pause' }]
      : [],
  );
  const worst = harmful.find(({ rolls }) => rolls);
  if (worst !== undefined) return { move: 'rollback', reason: harmText(worst.numbers, look) };
  if (watched.pausedReason !== null) return { move: 'wait', held: true, reason: watched.pausedReason };
  const [found] = harmful;
  if (found !== undefined) return { move: 'pause', reason: harmText(found.numbers, look) };
  if (watched.watchedSince !== null) return duringWatch(watched, look, now);

  const current = steps[step];
  if (current === undefined) throw new Error(`a guarded release has no step ${step}`);
  const due = watched.stepStartedAt.getTime() + durationMs(current.hold);
  const hold = (what: Hold, reason: string): Decision => ({ move: 'wait', held: true, tell: what, reason });
  if (!look.sample_ratio.ok)
    return hold('sample_ratio', 'The shares of the arms do not fit the weights, so the numbers cannot be trusted.');
  const of = (arm: string) => look.units[arm] ?? 0;
  const units = of(variant) + of(control);
  if (look.crossed > maxCrossedShare * (units + look.crossed))
    return hold(
      'crossed',
      `${look.crossed} of ${units + look.crossed} units saw both arms, so the arms cannot be compared.`,
    );
  const failed = look.guards.find(({ error }) => error !== null);
  if (failed !== undefined) {
    const reason = `${failed.name} could not be measured: ${failed.error}`;
    // It may only be late: nothing is lost before the end of the hold.
    return due > now.getTime() ? { move: 'wait', held: true, reason } : hold('failed_guard', reason);
  }
  if (due > now.getTime())
    return { move: 'wait', held: false, reason: `Step ${step + 1} is held for ${current.hold}.` };
  if (of(variant) < current.min_units || of(control) < current.min_units)
    return hold('units', unitsText(watched, [of(variant), of(control)], current.min_units, now));
  const unmeasured = look.guards.find(({ verdict, upper }) => verdict === 'not_sure' && upper === null);
  if (unmeasured !== undefined)
    return hold(
      'rows',
      `Too few data for ${unmeasured.name}: ${unmeasured.treatment.n} and ${unmeasured.control.n} units have rows${unmeasured.treatment.n > 0 ? ', whose values differ too little to state an error' : ''}.`,
    );
  return atEndOfStep(watched, look, now, due);
}

/** What happens when only guards that are not sure can forbid the next step. A guard without its units is never passed but by a person. */
function atEndOfStep(watched: Watched, look: GuardedLook, now: Date, due: number): Decision {
  const { guards, accepted, step, steps, passed } = watched;
  const judged = look.guards.map((numbers, i) => ({ numbers, guard: guards[i], isAccepted: accepted.includes(i) }));
  const unsure = judged.filter(({ numbers, isAccepted }) => numbers.verdict === 'not_sure' && !isAccepted);
  const isFew = unsure.some(
    ({ numbers, guard }) => Math.min(numbers.control.n, numbers.treatment.n) < (guard?.min_units ?? 0),
  );
  const reason = unsure.map(({ numbers }) => unsureText(numbers, watched, now)).join(' ');
  const whenUnsure = passed === step ? 'advance' : isFew ? 'hold' : watched.whenUnsure;
  if (unsure.length > 0 && whenUnsure === 'hold')
    return { move: 'unsure', isLate: now.getTime() >= due + durationMs(watched.holdAtMost), reason };
  if (unsure.length > 0 && whenUnsure === 'rollback')
    return { move: 'rollback', reason: `The time of step ${step + 1} is over. ${reason}` };
  const others = judged.some(({ isAccepted }) => isAccepted)
    ? 'every guard but those that a person has accepted'
    : 'every guard';
  const why =
    unsure.length === 0
      ? `No harm: ${others} is within its tolerance.`
      : `${passed === step ? 'A person has decided to go on.' : 'The release goes on when guards are not sure.'} ${reason}`;
  if (step + 1 < steps.length) return { move: 'step', step: step + 1, reason: why };
  return { move: durationMs(watched.watch) > 0 ? 'watch' : 'complete', reason: why };
}

/** Everybody has the variant, and nothing was found. There is no next step to hold: what is not known is told at the end. */
function duringWatch(watched: Watched, look: GuardedLook, now: Date): Decision {
  const end = watchEndsAt(watched);
  if (end === null || end > now)
    return { move: 'wait', held: false, reason: `Everybody gets the variant, which is watched for ${watched.watch}.` };
  return { move: 'complete', reason: watchedText(watched.watch, look) };
}

/** What a guard that is not sure knows, and when it will decide. */
function unsureText(
  { metric, name, harm, upper, tolerance, treatment, control, units_needed: needed }: GuardedLook['guards'][number],
  { armedAt }: Watched,
  now: Date,
): string {
  const at = (value: number | null) => (value === null ? 'unknown' : toldDifference(metric, value));
  const so = `Not sure yet: ${name} is ${at(harm)} worse, and could be ${at(upper)} worse; ${at(tolerance)} is tolerated.`;
  const units = (treatment.n + control.n) / 2;
  const hours = (now.getTime() - armedAt.getTime()) / 3_600_000;
  if (needed === null || units === 0 || hours <= 0)
    return `${so} It is too close to the tolerance to tell when it will be decided.`;
  const perHour = units / hours;
  return `${so} At ${shortNumber(Math.round(perHour))} units an hour in each group, about ${toldTime((needed - units) / perHour)} more.`;
}

/** Which units of a step are missing, and for about how long. */
function unitsText({ armedAt }: Watched, units: readonly [number, number], needed: number, now: Date): string {
  const fewest = Math.min(...units);
  const so = `Too few data: ${units[0]} and ${units[1]} units, the step needs ${needed} in each arm.`;
  const hours = (now.getTime() - armedAt.getTime()) / 3_600_000;
  if (fewest === 0 || hours <= 0) return `${so} Nobody has evaluated the flag in one of them yet.`;
  const perHour = fewest / hours;
  return `${so} At ${shortNumber(perHour)} units an hour, about ${toldTime((needed - fewest) / perHour)} more.`;
}

/** Hours as people say them. */
function toldTime(hours: number): string {
  const [count, unit] = hours < 1 ? [hours * 60, 'minute'] : hours < 48 ? [hours, 'hour'] : [hours / 24, 'day'];
  const whole = Math.max(1, Math.ceil(count));
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}

function harmText(
  { metric, name, control, treatment, bound, tolerance }: GuardedLook['guards'][number],
  { compared_with }: GuardedLook,
): string {
  const at = (value: number | null) => (value === null ? 'unknown' : toldValue(metric, value));
  const by = (value: number | null) => (value === null ? 'unknown' : toldDifference(metric, value));
  const [before, margin] =
    compared_with === 'control' ? ['', ''] : [' of the control before 100 %', ' with the margin for changes over time'];
  return `${name} is worse: ${at(treatment.mean)} against ${at(control.mean)}${before}, by at least ${by(bound)}; ${by(tolerance)} is tolerated${margin}.`;
}

/** Built-in metrics, also by the names that they had before. */
const nanoseconds = ['latency', 'latency_p95', 'p95_latency'];

/** A value as people read it, where the unit of the metric is known. */
function toldValue(metric: string, value: number): string {
  if (metric === 'error_rate') return `${shortNumber(100 * value)} %`;
  if (nanoseconds.includes(metric)) return `${shortNumber(value / 1e6)} ms`;
  return shortNumber(value);
}

/** A difference of two values: that of two shares is in points, since 1 % could also be a hundredth of the value. */
function toldDifference(metric: string, value: number): string {
  if (metric !== 'error_rate') return toldValue(metric, value);
  const points = shortNumber(100 * value);
  return `${points} ${points === '1' ? 'point' : 'points'}`;
}

/** Four digits that matter. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** When the next step is due at the earliest; null while it does not move, and after the last. */
export function nextStepAt({
  state,
  steps,
  step,
  stepStartedAt,
  watchedSince,
  pausedReason,
}: {
  readonly state: string;
  readonly steps: readonly GuardedStep[];
  readonly step: number;
  readonly stepStartedAt: Date | null;
  readonly watchedSince: Date | null;
  readonly pausedReason: string | null;
}): Date | null {
  const current = steps[step];
  if ((state !== 'armed' && state !== 'monitoring') || current === undefined) return null;
  if (stepStartedAt === null || watchedSince !== null || pausedReason !== null) return null;
  return new Date(stepStartedAt.getTime() + durationMs(current.hold));
}

/** The largest weight that the variant has beside a control group, of 100000. */
export function widestOf(steps: readonly Pick<GuardedStep, 'weight'>[]): number {
  return Math.max(0, ...steps.map(({ weight }) => weight));
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Why a variant cannot be released to everyone else, whom the targeting gives this. */
export function controlIssues(control: string | null | undefined, variant: string): Issue[] {
  if (typeof control !== 'string')
    return [
      {
        path: 'variant',
        message: 'everyone else must get one variant, which becomes the control group: set it in the targeting first',
      },
    ];
  return control === variant ? [{ path: 'variant', message: 'is already served to everyone else' }] : [];
}

/** The issues of a definition by itself. */
export function checkPlan({
  steps,
  watch,
}: {
  readonly steps: readonly GuardedStep[];
  readonly watch: string;
}): Issue[] {
  const issues = steps.flatMap(({ weight }, i) => {
    const before = steps[i - 1]?.weight ?? 0;
    return weight > before ? [] : [{ path: `steps.${i}.weight`, message: 'must be above the previous step' }];
  });
  if (durationMs(watch) > durationMs(longestWatch))
    issues.push({ path: 'watch', message: `must be at most ${longestWatch}` });
  return issues;
}
