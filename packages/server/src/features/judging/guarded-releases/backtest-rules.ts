import type { GuardedBacktest } from '@fanion/contract';
import { type GuardPlan, smallestRegression, unitsToClear, unitsToDetect } from '@fanion/stats';
import { durationMs } from '../../../platform/durations.ts';
import { controlRatio } from '../../flags/flags/index.ts';
import { type ArmSums, addSums, armValue, type Measurement, sampleOf } from '../metrics/index.ts';
import { type JudgedGuard, judge, type Tests } from './numbers-rules.ts';
import { type GuardedStep, widestOf } from './rules.ts';

const dayMs = 86_400_000;

export interface ReplayedMetric {
  readonly key: string;
  readonly name: string;
  readonly definition: Parameters<typeof armValue>[0];
}

/** The part of a guarded release that is replayed. */
export interface Backtested {
  readonly steps: readonly GuardedStep[];
  readonly guards: readonly JudgedGuard[];
  readonly alpha: number;
}

/** How the past is cut: each replayed release has several looks, at which the units so far are judged. */
export interface Cut {
  /** Bounds between the looks of all releases, in Unix milliseconds. */
  readonly bounds: readonly number[];
  readonly looks: number;
  readonly releases: number;
}

/** Replayed releases are as long as the steps together, at least a day, and one after the other. */
export function cutPast(
  steps: readonly { readonly hold: string }[],
  { fromMs, toMs, looks }: { readonly fromMs: number; readonly toMs: number; readonly looks: number },
): Cut {
  const wanted = steps.reduce((sum, { hold }) => sum + durationMs(hold), 0);
  const length = Math.min(Math.max(dayMs, wanted), toMs - fromMs);
  const releases = Math.floor((toMs - fromMs) / length);
  const width = length / looks;
  const bounds = Array.from({ length: releases * looks }, (_, i) => Math.round(fromMs + (i + 1) * width));
  return { bounds, looks, releases };
}

/** Whether a guard finds a regression in each of the replayed releases; undefined for those without enough units. */
export function falseAlarms(
  metric: ReplayedMetric,
  guard: JudgedGuard,
  sums: readonly ArmSums[],
  { looks, releases }: Cut,
  tests: Tests,
): (boolean | undefined)[] {
  const slices = new Map(sums.map((one) => [`${one.variant} ${one.slice}`, one]));
  return Array.from({ length: releases }, (_, release) => {
    let [control, treatment]: [ArmSums | undefined, ArmSums | undefined] = [undefined, undefined];
    let found: boolean | undefined;
    for (let look = 0; look < looks; look++) {
      const slice = String(release * looks + look);
      // Quantiles cannot be added: each look has the units of its own time.
      const isAlone = metric.definition.kind === 'quantile';
      control = addSums(isAlone ? undefined : control, slices.get(`control ${slice}`));
      treatment = addSums(isAlone ? undefined : treatment, slices.get(`treatment ${slice}`));
      if (control === undefined || treatment === undefined) continue;
      const { verdict, upper, ...arms } = judge(metric, guard, { control, treatment }, tests);
      if (verdict === 'harm') return true;
      const isEnough = Math.min(arms.control.n, arms.treatment.n) >= guard.min_units;
      if (upper !== null && isEnough) found = false;
    }
    return found;
  });
}

/** A guard judges harm of so many times its tolerance when a plan tells how long it takes to find it. */
const HARM_TO_FIND = 2;

type PlannedStep = GuardedBacktest['guards'][number]['steps'][number];

/**
 * What a guard would find in each step, and how long it would take, from the units of all replays. A step begins with the units that
 * the holds of the steps before have brought.
 */
export function stepsOf(
  { definition: metric }: Pick<ReplayedMetric, 'definition'>,
  guard: JudgedGuard,
  arm: ArmSums | undefined,
  { definition, unitsPerDay }: { readonly definition: Backtested; readonly unitsPerDay: number },
): PlannedStep[] {
  const sample = arm === undefined ? undefined : sampleOf(metric, arm);
  const { steps, alpha, guards } = definition;
  const ratio = controlRatio(widestOf(steps));
  const direction = guard.direction ?? metric.direction;
  const { tolerance, scale = 'absolute' } = guard;
  const plan: GuardPlan = { direction, tolerance, scale, alpha, guards: guards.length, ratio };
  const value = arm === undefined ? null : armValue(metric, arm);
  const harm = HARM_TO_FIND * tolerance * (scale === 'relative' ? Math.abs(value ?? 0) : 1);
  const toDetect = sample && unitsToDetect(sample, harm, plan);
  const toClear = sample && unitsToClear(sample, plan);
  let before = 0;
  return steps.map(({ weight, hold, min_units: least }) => {
    const perMs = (unitsPerDay * weight) / 100_000 / dayMs;
    const units = perMs * durationMs(hold);
    const total = before + units;
    const needed = Math.max(least, guard.min_units) / ratio;
    const secondsTo = (verdict: number | undefined) =>
      verdict === undefined || perMs === 0
        ? null
        : Math.ceil(Math.max(0, Math.max(verdict, needed) - before) / perMs / 1_000);
    const clears = secondsTo(toClear);
    const smallest = sample && total >= needed ? smallestRegression(sample, total, plan) : undefined;
    before = total;
    return {
      weight,
      hold,
      units_per_arm: Math.floor(units * ratio),
      smallest_regression: smallest ?? null,
      seconds_to_detect: secondsTo(toDetect),
      seconds_to_clear: clears,
      clears_within_hold: sample === undefined ? null : clears !== null && clears * 1_000 <= durationMs(hold),
    };
  });
}

/** One salt of a backtest: the sums of each guard's metric. */
export interface Replay {
  readonly measured: readonly Measurement[];
}

/** The answer of a backtest, from the replays with each salt. */
export function judgeBacktest(
  definition: Backtested,
  metrics: readonly ReplayedMetric[],
  replays: readonly Replay[],
  { cut, units, days }: { readonly cut: Cut; readonly units: number; readonly days: number },
): Pick<GuardedBacktest, 'releases' | 'false_rollbacks' | 'units_per_day' | 'guards'> {
  const unitsPerDay = units / days;
  const tests: Tests = { alpha: definition.alpha, guards: definition.guards.length, comparedWith: 'control' };
  const outcomes: boolean[] = [];
  const judged = new Set<number>();
  const guards = definition.guards.flatMap((guard, i): GuardedBacktest['guards'] => {
    const metric = metrics[i];
    if (metric === undefined) return [];
    const errors = replays.flatMap(({ measured }) => {
      const found = measured[i];
      return found !== undefined && 'error' in found ? [found.error] : [];
    });
    const sums = replays.map(({ measured }) => {
      const found = measured[i];
      return found !== undefined && 'sums' in found ? found.sums : [];
    });
    const alarms = sums.flatMap((one) => falseAlarms(metric, guard, one, cut, tests));
    for (const [at, alarm] of alarms.entries())
      if (alarm !== undefined) {
        judged.add(at);
        outcomes[at] = outcomes[at] === true || alarm;
      }
    const controls = (sums[0] ?? []).filter(({ variant }) => variant === 'control');
    const isQuantile = metric.definition.kind === 'quantile';
    const [largest] = [...controls].sort((a, b) => b.rows - a.rows);
    const arm = isQuantile ? largest : controls.reduce<ArmSums | undefined>((sum, one) => addSums(sum, one), undefined);
    return [
      {
        metric: metric.key,
        name: metric.name,
        error: errors[0] ?? null,
        releases: alarms.filter((alarm) => alarm !== undefined).length,
        false_rollbacks: alarms.filter((alarm) => alarm === true).length,
        baseline: arm === undefined ? null : armValue(metric.definition, arm),
        steps: stepsOf(metric, guard, arm, { definition, unitsPerDay }),
      },
    ];
  });
  return {
    releases: judged.size,
    false_rollbacks: outcomes.filter((one) => one === true).length,
    units_per_day: Math.round(unitsPerDay),
    guards,
  };
}
