import type { SampleSeries } from '@fanion/promql';
import type { SampleWindow } from './condition-store.ts';
import { type Asked, acceptedTexts, tooMany } from './selecting.ts';
import type { Selection } from './selection-rules.ts';
import { countersOf, type SpanMetric, stepOf, stepsIn } from './span-metrics-rules.ts';
import { countSpans } from './span-metrics-store.ts';

/** Rows of one read: kinds of spans times steps. */
const maxRows = 200_000;

/** The samples of a metric of spans, counted from the spans of the window. */
export async function readSpanMetric(
  asked: Asked,
  metric: SpanMetric,
  { names, labels, parts }: Selection,
  window: SampleWindow,
): Promise<SampleSeries[]> {
  const { store, scope, limits, signal } = asked;
  const step = stepOf(window);
  const times = stepsIn(window, step);
  const [first] = times;
  if (first === undefined) return [];
  // Spans before the first sample are what the counter begins with.
  const counted = { window: { start: first, end: window.end }, step, conditions: labels };
  const rows = await countSpans(store, scope, counted, maxRows, signal);
  if (rows.length > maxRows) throw tooMany('kinds of spans and steps', maxRows);
  let series = countersOf(metric, rows, times);
  if (series.length * times.length > limits.samples) throw tooMany('samples', limits.samples);
  for (const matcher of [...names, ...parts]) {
    const textOf = (one: SampleSeries) => one.labels.get(matcher.name) ?? '';
    const accepted = await acceptedTexts(asked, [matcher], [...new Set(series.map(textOf))]);
    series = series.filter((one) => accepted.has(textOf(one)));
  }
  return series;
}
