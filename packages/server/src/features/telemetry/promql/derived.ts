import type { LabelMatcher, Labels, SampleSeries } from '@fanion/promql';
import { type AlertMetric, alertMetrics, alertSeries, isAlertMetric } from './alert-series-rules.ts';
import { type Asked, acceptedTexts, tooMany } from './choosing.ts';
import { countersFrom, type Description, isCounter, readCounter } from './counters.ts';
import { findPresence } from './presence-store.ts';
import { oneSample, type Sampling, samplingOf } from './sampling-rules.ts';
import { exactName, type Selection, selectionOf } from './selection-rules.ts';
import { readTargets, targetInfo } from './targets.ts';
import type { SampleWindow } from './time-rules.ts';

/**
 * Metrics that are not stored. Their samples are made when a selector names them, because to make them for each selector
 * without a name would cost more than the query.
 */

interface Derived {
  readonly series: readonly SampleSeries[];
  readonly warnings: readonly string[];
}

/** Whether a selector of this name is about a derived metric. */
export function isDerived(name: string | undefined): name is string {
  return name !== undefined && (isAlertMetric(name) || isCounter(name) || name === targetInfo);
}

/** The names and descriptions of the derived metrics that have samples in a window. */
export async function presentDerived({ store, scope, signal, alerts }: Asked, window: SampleWindow) {
  const [presence, read] = await Promise.all([findPresence(store, scope, window, signal), alerts?.(window)]);
  const counters = countersFrom(presence);
  const hasAlerts = read?.periods.some(({ to = window.end }) => to > window.start) === true;
  return {
    names: [...(hasAlerts ? alertMetrics : []), ...(presence.targets ? [targetInfo] : []), ...counters.names],
    descriptions: [
      ...(hasAlerts ? alertDescriptions : []),
      ...(presence.targets ? [targetDescription] : []),
      ...counters.descriptions,
    ],
  };
}

const targetDescription: Description = { name: targetInfo, type: 'gauge', help: 'Attributes of resources.', unit: '' };
const alertDescriptions: readonly Description[] = [
  { name: 'ALERTS', type: 'gauge', help: '1 while an alert is in a state.', unit: '' },
  { name: 'ALERTS_FOR_STATE', type: 'gauge', help: 'The Unix time at which an alert began.', unit: 'seconds' },
];

/**
 * Counters begin at zero this many steps before the first sample. `rate` and `increase` do not extrapolate a counter below zero, so
 * one that began with the window would rise too little in it.
 */
const leadSteps = 2;

/** The samples of a window, for ranges of this length. */
export function readDerived(
  asked: Asked,
  name: string,
  selection: Selection,
  { window, range }: { readonly window: SampleWindow; readonly range: number | undefined },
): Promise<Derived> {
  const { step, times } = samplingOf(window, range);
  const [first] = times;
  if (first === undefined) return Promise.resolve({ series: [], warnings: [] });
  const start = isCounter(name) ? first - leadSteps * step : window.start;
  return matching(asked, name, selection, { step, times, window: { start, end: window.end } });
}

/** The series that have samples in a window; none unless the matchers name a derived metric. */
export async function listDerivedOf(
  asked: Asked,
  matchers: readonly LabelMatcher[],
  window: SampleWindow,
): Promise<readonly Labels[]> {
  const selection = selectionOf(matchers);
  const name = exactName(selection);
  if (!isDerived(name)) return [];
  const { series } = await matching(asked, name, selection, oneSample(window));
  return series.map(({ labels }) => labels);
}

async function matching(asked: Asked, name: string, selection: Selection, sampling: Sampling): Promise<Derived> {
  const { series: all, warnings } = await made(asked, name, selection, sampling);
  let series = all;
  for (const matcher of [...selection.names, ...selection.labels, ...selection.parts]) {
    const textOf = (one: SampleSeries) => one.labels.get(matcher.name) ?? '';
    const accepted = await acceptedTexts(asked, [matcher], [...new Set(series.map(textOf))]);
    series = series.filter((one) => accepted.has(textOf(one)));
  }
  return { series, warnings };
}

async function made(asked: Asked, name: string, selection: Selection, sampling: Sampling): Promise<Derived> {
  if (isAlertMetric(name)) return readAlertSeries(asked, name, sampling);
  const read = name === targetInfo ? readTargets(asked, sampling) : readCounter(asked, name, selection, sampling);
  return { series: await read, warnings: [] };
}

async function readAlertSeries({ alerts, limits }: Asked, name: AlertMetric, sampling: Sampling): Promise<Derived> {
  if (alerts === undefined)
    return {
      series: [],
      warnings: [
        `${name} cannot be read by recording rules and SLOs: its values would be shown to people who may not read alerts`,
      ],
    };
  const read = await alerts(sampling.window);
  if (read === undefined) return { series: [], warnings: [`${name} is empty: it needs alerts:read`] };
  const series = alertSeries(name, read.periods, sampling, read.until);
  const samples = series.reduce((sum, { times }) => sum + times.length, 0);
  if (samples > limits.samples) throw tooMany('samples', limits.samples);
  return { series, warnings: [] };
}
