import type { Tone } from '../../alerting/states.ts';
import { countOf, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { isShare, type Measured, numberText } from '../judging/judging-words.ts';
import type { Experiment, MeasuredMetric, Point, Results, VariantNumbers } from './queries.ts';

const states: Readonly<Record<Experiment['state'], { readonly label: string; readonly tone: Tone }>> = {
  draft: { label: 'Draft', tone: 'off' },
  running: { label: 'Running', tone: 'ok' },
  stopped: { label: 'Stopped', tone: 'pending' },
  archived: { label: 'Archived', tone: 'off' },
};
export const stateOf = ({ state }: Pick<Experiment, 'state'>) => states[state];

const verdicts: Readonly<Record<VariantNumbers['verdict'], { readonly label: string; readonly tone: Tone }>> = {
  control: { label: 'Control', tone: 'off' },
  better: { label: 'Better', tone: 'ok' },
  worse: { label: 'Worse', tone: 'firing' },
  no_difference_yet: { label: 'No difference yet', tone: 'off' },
  too_few_data: { label: 'Too few data', tone: 'off' },
  unreliable: { label: 'Unreliable', tone: 'pending' },
};
export const verdictOf = ({ verdict }: Pick<VariantNumbers, 'verdict'>) => verdicts[verdict];

/** `+12.5%`, with its sign, since the direction is what counts. */
export function liftText(lift: number | null): string {
  if (lift === null) return '–';
  return lift > 0 ? `+${formatPercent(lift)}` : formatPercent(lift);
}

export function intervalText(interval: Range | null): string {
  return interval === null ? '–' : `${liftText(interval[0])} to ${liftText(interval[1])}`;
}

type Range = readonly [number, number];

/**
 * The interval of the difference as a part of the control's mean: the scale of lifts, and the interval that the verdict comes from. The interval of
 * the lift itself is wider, so it can hold 0 although there is a verdict.
 */
export function rangeOf({ variants }: Pick<MeasuredMetric, 'variants'>, { absolute }: VariantNumbers): Range | null {
  const base = Math.abs(variants.find(({ verdict }) => verdict === 'control')?.mean ?? 0);
  const interval = absolute?.interval ?? null;
  return interval === null || base === 0 ? null : [interval[0] / base, interval[1] / base];
}

/** The widest difference that the bars of a table must show, so that all have one scale. */
export function scaleOf(metrics: readonly MeasuredMetric[]): number {
  const ends = metrics.flatMap((metric) => metric.variants.flatMap((numbers) => rangeOf(metric, numbers) ?? []));
  // One interval of a few units would leave the others as dots.
  return Math.min(2, Math.max(0.01, ...ends.map(Math.abs)));
}

export interface Bar {
  /** Shares of the width, from the left. */
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** Where an interval lies in a bar from −scale to +scale; it is cut at both ends. */
export function barOf(lift: number | null, interval: Range | null, scale: number): Bar | null {
  if (lift === null || interval === null) return null;
  const place = (value: number) => Math.min(1, Math.max(0, (value / scale + 1) / 2));
  return { from: place(interval[0]), to: place(interval[1]), at: place(lift) };
}

/** What is missing for a verdict, in words of a product manager. */
export function neededText(numbers: VariantNumbers, effect: number): string {
  const { reason, chance_to_win: chance, power, days_left: days, verdict, significant } = numbers;
  if (reason !== null) return reason;
  if (verdict === 'control') return '';
  const sure = chance === null ? '' : `${formatPercent(chance)} chance to win`;
  if (significant || days === null || power === null) return sure;
  const left =
    days === 0
      ? `enough data: a change of ${formatPercent(effect)} is ruled out`
      : `about ${countOf(days, 'more day')} to detect a change of ${formatPercent(effect)}`;
  return sure === '' ? left : `${sure}; ${left}`;
}

export function pText(p: number | null): string {
  if (p === null) return '–';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

/** A difference of two means, with its sign: in percentage points where the means are shares. */
export function differenceText({ key, kind }: Measured, difference: number | null): string {
  if (difference === null) return '–';
  const points = isShare(kind) || key === 'error_rate';
  const text = points
    ? `${formatNumber(Number((100 * difference).toPrecision(3)))} points`
    : numberText(key, difference);
  return difference > 0 ? `+${text}` : text;
}

function betweenText(interval: Range | null): string {
  return interval === null ? 'without an interval' : `between ${liftText(interval[0])} and ${liftText(interval[1])}`;
}

/** The one sentence that answers the question of the experiment, and its tone. */
export function headlineOf(
  { control, effect }: { readonly control: string; readonly effect: number },
  results: Pick<Results, 'metrics' | 'reliable'> & { readonly health: Pick<Results['health'], 'exposures'> },
): { readonly text: string; readonly kind: 'ok' | 'error' | 'warning' | 'info' } {
  if (results.health.exposures === 0) return { kind: 'info', text: 'No unit has taken part yet.' };
  if (!results.reliable)
    return { kind: 'error', text: 'Do not read the numbers yet: the units are not divided as intended.' };
  const harmed = results.metrics
    .filter(({ role }) => role === 'guardrail')
    .flatMap(({ name, variants }) =>
      variants.flatMap(({ variant, verdict }) => (verdict === 'worse' ? [`${name} gets worse with ${variant}`] : [])),
    );
  const harm = harmed.length === 0 ? '' : ` But ${harmed.join(', and ')}.`;
  const best = bestOf(results);
  const goals = results.metrics.filter(({ role }) => role === 'goal');
  const changeOf = (metric: MeasuredMetric, numbers: VariantNumbers) =>
    `${metric.name} changes by ${liftText(numbers.lift)} (${betweenText(rangeOf(metric, numbers))})`;
  for (const metric of goals)
    for (const numbers of metric.variants) {
      const { variant, verdict } = numbers;
      if (verdict === 'better' && (best === null || best === variant))
        return {
          kind: harm === '' ? 'ok' : 'warning',
          text: `${variant} is better: ${changeOf(metric, numbers)}.${harm}`,
        };
    }
  for (const metric of goals)
    for (const numbers of metric.variants)
      if (numbers.verdict === 'worse')
        return {
          kind: 'error',
          text: `${numbers.variant} is worse: ${changeOf(metric, numbers)}. Keep ${control}.${harm}`,
        };
  const days = Math.max(0, ...goals.flatMap(({ variants }) => variants.flatMap(({ days_left }) => days_left ?? [])));
  const lift = formatPercent(effect);
  const text =
    days === 0
      ? `No difference found. A change of ${lift} is ruled out.`
      : `No difference found yet. Detecting a change of ${lift} takes about ${countOf(days, 'more day')}.`;
  return { kind: harm === '' ? 'info' : 'warning', text: `${text}${harm}` };
}

/** The difference of a variant by day, with its bounds. */
export function daysOf(points: readonly Point[], metric: string, variant: string) {
  const own = points.filter((point) => point.metric === metric && point.variant === variant);
  return {
    times: own.map(({ time }) => Date.parse(time)),
    difference: own.map(({ difference }) => difference),
    low: own.map(({ interval }) => interval?.[0] ?? null),
    high: own.map(({ interval }) => interval?.[1] ?? null),
  };
}

/**
 * The variant that the goals support: better by at least one of them, worse by none, and worse by no guardrail. Of several,
 * the one with the largest lift of the first goal. Null if there is none, or if the results are not reliable.
 */
export function bestOf({ metrics, reliable }: Pick<Results, 'metrics' | 'reliable'>): string | null {
  if (!reliable) return null;
  const verdicts = new Map<string, VariantNumbers[]>();
  const guards = new Set<string>();
  for (const { role, variants } of metrics)
    for (const numbers of variants) {
      if (role === 'goal') verdicts.set(numbers.variant, [...(verdicts.get(numbers.variant) ?? []), numbers]);
      if (role === 'guardrail' && numbers.verdict === 'worse') guards.add(numbers.variant);
    }
  const supported = [...verdicts].filter(
    ([variant, goals]) =>
      !guards.has(variant) &&
      goals.some(({ verdict }) => verdict === 'better') &&
      goals.every(({ verdict }) => verdict !== 'worse'),
  );
  const liftOf = (goals: readonly VariantNumbers[]) =>
    Math.abs(goals.find(({ verdict }) => verdict === 'better')?.lift ?? 0);
  return supported.toSorted(([, a], [, b]) => liftOf(b) - liftOf(a))[0]?.[0] ?? null;
}
