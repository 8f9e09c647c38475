import { type SampleSeries, setStale } from '@fanion/promql';
import { labelName } from './name-rules.ts';
import type { Sampling } from './sampling-rules.ts';
import { keyOf, namedLabels } from './series-rules.ts';
import type { SampleWindow } from './time-rules.ts';

/** A time in which an alert was in one state. All times are Unix milliseconds. */
export interface AlertPeriod {
  /** With `alertname`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
  readonly from: number;
  /** Undefined: it still is. */
  readonly to: number | undefined;
  /** When the alert began to be pending, or to fire if it never was. */
  readonly activeAt: number;
}

/** Reads the alerts of a window in Unix milliseconds; undefined: of no rule that the caller may read. */
export type ReadAlerts = (
  window: SampleWindow,
) => Promise<{ readonly periods: readonly AlertPeriod[]; readonly until: number } | undefined>;

export const alertMetrics = ['ALERTS', 'ALERTS_FOR_STATE'] as const;
export type AlertMetric = (typeof alertMetrics)[number];

export function isAlertMetric(name: string | undefined): name is AlertMetric {
  return alertMetrics.some((metric) => metric === name);
}

/** A range may be long, but an alert has a value at each moment of its period. */
const longestStepMs = 120_000;

interface Interval {
  readonly from: number;
  readonly to: number | undefined;
  readonly value: number;
}

/**
 * The series of alerts: 1 while they are in a state, or the second in which they began. The first sample is of the beginning of a
 * period, and a staleness marker of its end.
 * @param until when the periods were read: one that is not over has no later samples
 */
export function alertSeries(
  metric: AlertMetric,
  periods: readonly AlertPeriod[],
  sampling: Sampling,
  until: number,
): SampleSeries[] {
  const groups = new Map<string, { labels: SampleSeries['labels']; intervals: Interval[] }>();
  for (const { labels: own, state, from, to, activeAt } of periods) {
    const value = metric === 'ALERTS' ? 1 : activeAt / 1000;
    const named = Object.entries(own).map(([key, text]) => [labelName(key), text] as const);
    const withState = metric === 'ALERTS' ? [...named, ['alertstate', state] as const] : named;
    const labels = namedLabels(
      metric,
      withState.filter(([, text]) => text !== '').toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
    const key = keyOf(labels);
    const group = groups.get(key) ?? { labels, intervals: [] };
    group.intervals.push({ from, to, value });
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ labels, intervals }) => {
    const samples = samplesOf(united(intervals), sampling, until);
    return samples.times.length === 0 ? [] : [{ labels, ...samples }];
  });
}

/** In the order of their times, and without overlaps: alerts may have equal labels. */
function united(intervals: readonly Interval[]): Interval[] {
  const all: Interval[] = [];
  for (const one of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last === undefined || (last.to !== undefined && last.to < one.from)) all.push(one);
    else if (last.value === one.value)
      all[all.length - 1] = {
        ...last,
        to: last.to === undefined || one.to === undefined ? undefined : Math.max(last.to, one.to),
      };
    else if (last.to !== undefined && (one.to === undefined || one.to > last.to)) all.push({ ...one, from: last.to });
  }
  return all;
}

function samplesOf(intervals: readonly Interval[], { window, step: asked }: Sampling, until: number) {
  const step = Math.min(asked, longestStepMs);
  const times: number[] = [];
  const values: (number | undefined)[] = [];
  const put = (time: number, value: number | undefined) => {
    if (times.at(-1) === time) values[times.length - 1] = value;
    else if (time > window.start && time <= window.end) {
      times.push(time);
      values.push(value);
    }
  };
  for (const { from, to, value } of intervals) {
    put(from, value);
    const end = Math.max(from, Math.min(to ?? until, window.end));
    const first = (Math.floor(Math.max(from, window.start) / step) + 1) * step;
    for (let time = first; time < end; time += step) put(time, value);
    if (to === undefined || to > window.end) put(end, value);
    else put(to, undefined);
  }
  const columns = {
    times: Float64Array.from(times),
    values: Float64Array.from(values, (value) => value ?? Number.NaN),
  };
  for (const [at, value] of values.entries()) if (value === undefined) setStale(columns.values, at);
  return columns;
}
