import type { Tone } from '../../alerting/states.ts';
import { formatNumber, formatPercent } from '../../ui/format/index.ts';
import type { Experiment, MeasuredMetric, Results, VariantNumbers } from './queries.ts';

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

/** A share as a percentage, anything else as a number. */
export function meanText(kind: string, mean: number | null): string {
  return kind === 'conversion' || kind === 'retention' || kind === 'funnel' ? formatPercent(mean) : formatNumber(mean);
}

/** `+12.5%`, with its sign, since the direction is what counts. */
export function liftText(lift: number | null): string {
  if (lift === null) return '–';
  return lift > 0 ? `+${formatPercent(lift)}` : formatPercent(lift);
}

export function intervalText(interval: readonly [number, number] | null): string {
  return interval === null ? '–' : `${liftText(interval[0])} to ${liftText(interval[1])}`;
}

/** The widest lift that the bars of a table must show, so that all have one scale. */
export function scaleOf(metrics: readonly MeasuredMetric[]): number {
  const ends = metrics.flatMap(({ variants }) => variants.flatMap(({ lift_interval }) => lift_interval ?? []));
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
export function barOf(lift: number | null, interval: readonly [number, number] | null, scale: number): Bar | null {
  if (lift === null || interval === null) return null;
  const place = (value: number) => Math.min(1, Math.max(0, (value / scale + 1) / 2));
  return { from: place(interval[0]), to: place(interval[1]), at: place(lift) };
}

/** What the evidence is, in words of a product manager. */
export function evidenceText(numbers: VariantNumbers): string {
  const { reason, chance_to_win: chance, p_value_adjusted: p, power, days_left: days } = numbers;
  if (reason !== null) return reason;
  if (numbers.verdict === 'control') return '';
  const sure =
    chance !== null
      ? `${formatPercent(chance)} chance to win`
      : p === null
        ? ''
        : `p ${p < 0.001 ? '< 0.001' : p.toFixed(3)}`;
  if (numbers.significant || days === null || power === null) return sure;
  const left =
    days === 0 ? 'enough data to see the smallest effect of interest' : `about ${formatNumber(days)} more days`;
  return `${sure}; ${left}`;
}

/**
 * The variant that the goals support: better by at least one of them, worse by none, and worse by no guardrail. Of several,
 * the one with the largest lift of the first goal. Null if there is none, or if the results are not reliable.
 */
export function bestOf({ metrics, reliable }: Results): string | null {
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
