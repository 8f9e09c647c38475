import { formatNumber, formatPercent } from '../../ui/format/index.ts';
import type { GuardedEvent, GuardedRelease, Rollout } from './queries.ts';

const STATES: Readonly<Record<GuardedRelease['state'], string>> = {
  draft: 'Draft',
  armed: 'Started, waiting for the first units',
  monitoring: 'Monitoring',
  completed: 'Completed',
  rolled_back: 'Rolled back',
  disarmed: 'Ended by a person',
};

export function stateText({
  state,
  paused_reason,
  watching_until,
}: Pick<GuardedRelease, 'state' | 'paused_reason' | 'watching_until'>): string {
  if (paused_reason !== null) return 'Paused, waiting for a person';
  return watching_until === null ? STATES[state] : 'Watching';
}

const EVENTS: Readonly<Record<GuardedEvent['kind'], string>> = {
  armed: 'Started',
  look: 'Looked',
  hold: 'Held',
  step: 'Next step',
  watch: 'Watched',
  paused: 'Paused',
  continued: 'Continued',
  rolled_back: 'Rolled back',
  completed: 'Completed',
  disarmed: 'Ended by a person',
};

export function eventText({ kind }: Pick<GuardedEvent, 'kind'>): string {
  return EVENTS[kind];
}

/** A number of a metric; shares are read as percentages. */
export function numberText(metric: string, value: number | null): string {
  if (value === null) return '–';
  if (metric === 'error_rate') return formatPercent(value);
  // Latencies are in nanoseconds.
  if (metric === 'latency' || metric === 'latency_p95' || metric === 'p95_latency')
    return `${formatNumber(value / 1e6)} ms`;
  return formatNumber(value);
}

export const isShare = (kind: string) => kind === 'conversion' || kind === 'retention' || kind === 'funnel';

export interface Measured {
  readonly key: string;
  readonly kind: string;
}

/** Shares as percentages, built-in metrics in their units, anything else as a number. */
export function meanText({ key, kind }: Measured, mean: number | null): string {
  return isShare(kind) ? formatPercent(mean) : numberText(key, mean);
}

/** A difference of two values of a metric: that of two shares is in points, since 1% could also be a hundredth of the value. */
export function differenceText(measured: Measured, value: number | null): string {
  if (value === null || (measured.key !== 'error_rate' && !isShare(measured.kind))) return meanText(measured, value);
  const points = Number((100 * value).toPrecision(3));
  return `${formatNumber(points)} ${points === 1 ? 'point' : 'points'}`;
}

/** Looks that were the same decision as the one before are left out of the list. */
export function decisionsOf(events: readonly GuardedEvent[]): GuardedEvent[] {
  return events.filter(({ kind }, i) => kind !== 'look' && !(kind === 'hold' && events[i + 1]?.kind === 'hold'));
}

/** The lower bound of the harm by guard, over the looks of the current run, oldest first. */
export function boundsOf(events: readonly GuardedEvent[], armedAt: string | null) {
  const looks = events.filter(({ time, look }) => look !== null && (armedAt === null || time >= armedAt)).toReversed();
  const names = [...new Set(looks.flatMap(({ guards }) => guards.map(({ name }) => name)))];
  return {
    times: looks.map(({ time }) => Date.parse(time)),
    guards: names.map((name) => {
      const numbers = looks.map(({ guards }) => guards.find((guard) => guard.name === name));
      return {
        name,
        metric: numbers.find((found) => found !== undefined)?.metric ?? '',
        tolerance: numbers.at(-1)?.tolerance ?? 0,
        bounds: numbers.map((found) => found?.bound ?? null),
        harms: numbers.map((found) => found?.harm ?? null),
      };
    }),
  };
}

/** By what the chart of a rollout divides its numbers. */
export const ROLLOUT_VIEWS = [
  { value: 'variant', label: 'Evaluations by variant' },
  { value: 'reason', label: 'by reason' },
  { value: 'version', label: 'by version' },
  { value: 'units', label: 'New units' },
] as const;
export type RolloutView = (typeof ROLLOUT_VIEWS)[number]['value'];

/** The numbers of a rollout over time, for a chart; missing steps are zeros. */
export function seriesOf(
  {
    series,
    unit_series,
    from,
    to,
    step_seconds,
  }: Pick<Rollout, 'series' | 'unit_series' | 'from' | 'to' | 'step_seconds'>,
  view: RolloutView,
) {
  const step = step_seconds * 1_000;
  const first = Math.floor(Date.parse(from) / step) * step;
  const count = Math.max(1, Math.ceil((Date.parse(to) - first) / step));
  const times = Array.from({ length: count }, (_, i) => first + i * step);
  const rows =
    view === 'units'
      ? unit_series.map(({ time, variant, units }) => ({ time, name: variant, n: units }))
      : series.map((one) => ({ time: one.time, name: one[view], n: one.evaluations }));
  const names = [...new Set(rows.map(({ name }) => name))].sort();
  return {
    times,
    series: names.map((name) => {
      const values = new Array<number>(count).fill(0);
      for (const one of rows) {
        const at = Math.round((Date.parse(one.time) - first) / step);
        if (one.name === name && at >= 0 && at < count) values[at] = (values[at] ?? 0) + one.n;
      }
      return { name: name === '' ? '(none)' : name, values };
    }),
  };
}

/** How many units the control group of a guarded release has beside those of the variant. */
export function controlText(steps: readonly { readonly weight: number }[]): string {
  const widest = Math.max(0, ...steps.map(({ weight }) => weight));
  if (widest <= 50_000) return 'as many units';
  return `${formatPercent((100_000 - widest) / widest)} as many units`;
}
