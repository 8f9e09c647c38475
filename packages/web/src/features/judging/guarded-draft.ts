import { type EditableTargeting, uid } from '../flags/draft.ts';
import { parsePercent, percentText } from '../flags/weights.ts';
import type { GuardedRelease } from './queries.ts';
import { parseTolerance, toleranceText } from './tolerance.ts';

/** A step and a guard as the user types them. */
export interface StepDraft {
  uid: string;
  percent: string;
  count: string;
  unit: string;
  units: string;
}
export interface GuardDraft {
  uid: string;
  metric: string;
  tolerance: string;
  action: 'rollback' | 'pause';
  /** Null: that of the metric. */
  direction: GuardedRelease['guards'][number]['direction'];
}
export interface Draft {
  variant: string;
  steps: StepDraft[];
  guards: GuardDraft[];
  whenUnsure: GuardedRelease['when_unsure'];
  /** How long unsure guards hold a step. */
  holdCount: string;
  holdUnit: string;
  /** How long its guards go on after everybody has it; 0: not at all. */
  watchCount: string;
  watchUnit: string;
}

/** The control group needs a part of everybody. */
const WIDEST = 99_000;
const wholeNumber = /^[1-9]\d{0,5}$/;

const usual: readonly (readonly [weight: number, count: string, unit: string])[] = [
  [1_000, '30', 'm'],
  [10_000, '2', 'h'],
  [50_000, '1', 'd'],
];

/** The usual steps from this share on, which everybody follows; all of them on the way to everybody. */
function stepsFrom(weight: number): StepDraft[] {
  const first = weight > WIDEST ? 0 : weight;
  const hold = usual.findLast(([usually]) => usually <= first) ?? usual[0];
  const begin = first === 0 || hold === undefined ? [] : [[first, hold[1], hold[2]] as const];
  return [...begin, ...usual.filter(([usually]) => usually > first)].map(([step, count, unit]) => ({
    uid: uid(),
    percent: percentText(step),
    count,
    unit,
    units: '100',
  }));
}

/**
 * What the form begins with: the present release, or three usual steps and the error rate.
 *
 * @param from the variant, and the share out of 100000 that it begins with; the guards are those of the present release
 */
export function startOf(
  release: GuardedRelease | null,
  variants: readonly string[],
  offVariant: string | null,
  from?: { readonly variant: string; readonly weight: number },
): Draft {
  const draft = draftOf(release, variants, offVariant);
  return from === undefined ? draft : { ...draft, variant: from.variant, steps: stepsFrom(from.weight) };
}

function draftOf(release: GuardedRelease | null, variants: readonly string[], offVariant: string | null): Draft {
  if (release !== null)
    return {
      variant: release.variant,
      steps: release.steps.map(({ weight, hold, min_units }) => ({
        uid: uid(),
        percent: percentText(weight),
        count: hold.slice(0, -1),
        unit: hold.slice(-1),
        units: String(min_units),
      })),
      guards: release.guards.map(({ metric, tolerance, scale, on_regression, direction }) => ({
        uid: uid(),
        metric,
        tolerance: toleranceText({ tolerance, scale }, metric),
        action: on_regression,
        direction,
      })),
      whenUnsure: release.when_unsure,
      holdCount: release.hold_at_most.slice(0, -1),
      holdUnit: release.hold_at_most.slice(-1),
      watchCount: release.watch.slice(0, -1),
      watchUnit: release.watch.slice(-1),
    };
  return {
    variant: variants.find((key) => key !== offVariant) ?? variants[0] ?? '',
    steps: stepsFrom(0),
    guards: [{ uid: uid(), metric: 'error_rate', tolerance: '1 point', action: 'rollback', direction: null }],
    whenUnsure: 'hold',
    holdCount: '7',
    holdUnit: 'd',
    watchCount: '24',
    watchUnit: 'h',
  };
}

/**
 * Why a release of a variant cannot start as the flag is served now, and what everyone else could get so that it can. Undefined: it can. A
 * split serves no single variant. What targets and rules serve once a flag is on is not decided here, so a flag with some has no `control`.
 */
export function deadEndOf(
  { enabled, fallthrough, targets, rules }: Pick<EditableTargeting, 'enabled' | 'fallthrough' | 'targets' | 'rules'>,
  variant: string,
  variants: readonly string[],
  offVariant: string | null,
): { readonly control: string | undefined; readonly reason: string } | undefined {
  const served = fallthrough.variant;
  const isSingle = typeof served === 'string' && served !== variant;
  if (enabled && isSingle) return undefined;
  const other = offVariant !== null && offVariant !== variant ? offVariant : variants.find((key) => key !== variant);
  if (!enabled) {
    const control = targets.length + rules.length > 0 ? undefined : isSingle ? served : other;
    return {
      control,
      reason: `The flag is off, so the release cannot start: turn it on${control === undefined ? ' first' : ''}.`,
    };
  }
  const reason =
    served === variant
      ? `Everyone else gets ${variant} already, so there is nothing to release.`
      : 'Everyone else does not get one single variant, so there is no control group.';
  return { control: other, reason };
}

/** What must be corrected before it can be saved. */
export function problemsOf({ steps, guards, whenUnsure, holdCount, watchCount }: Draft): string[] {
  const problems: string[] = [];
  let last = 0;
  for (const [i, { percent, count, units }] of steps.entries()) {
    const weight = parsePercent(percent);
    if (weight === null || weight <= last || weight > WIDEST)
      problems.push(`Step ${i + 1} must be above the step before it, and at most 99%: a control group must remain.`);
    last = weight ?? last;
    if (!wholeNumber.test(count.trim())) problems.push(`Step ${i + 1} needs a whole number for its hold time.`);
    if (!wholeNumber.test(units.trim())) problems.push(`Step ${i + 1} needs a whole number of units.`);
  }
  for (const [i, { tolerance, metric }] of guards.entries())
    if (parseTolerance(tolerance, metric) === undefined)
      problems.push(`Guard ${i + 1} needs a tolerance that fits its metric, such as 1 point, 5 % or 20 ms.`);
  if (whenUnsure === 'hold' && !wholeNumber.test(holdCount.trim()))
    problems.push('The longest hold needs a whole number.');
  if (watchCount.trim() !== '0' && !wholeNumber.test(watchCount.trim()))
    problems.push('The watch needs a whole number, or 0 for none.');
  return problems;
}

/** The body of the request. What the form does not show stays as it was. */
export function readDraft(
  { variant, steps, guards, whenUnsure, holdCount, holdUnit, watchCount, watchUnit }: Draft,
  release: GuardedRelease | null,
) {
  const kept =
    release === null ? {} : { alpha: release.alpha, channels: release.channels, bucket_by: release.bucket_by };
  return {
    ...kept,
    variant,
    when_unsure: whenUnsure,
    ...(whenUnsure === 'hold' && { hold_at_most: `${holdCount.trim()}${holdUnit}` }),
    watch: watchCount.trim() === '0' ? '0s' : `${watchCount.trim()}${watchUnit}`,
    steps: steps.map(({ percent, count, unit, units }) => ({
      weight: parsePercent(percent) ?? 0,
      hold: `${count.trim()}${unit}`,
      min_units: Number(units),
    })),
    guards: guards.map(({ metric, tolerance, action, direction }) => {
      const before = release?.guards.find((guard) => guard.metric === metric);
      return {
        ...(before && { min_units: before.min_units }),
        metric,
        direction,
        ...(parseTolerance(tolerance, metric) ?? { tolerance: 0 }),
        on_regression: action,
      };
    }),
  };
}
