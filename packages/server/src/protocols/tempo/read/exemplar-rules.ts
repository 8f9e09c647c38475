import type { ResultValue, Tree } from '@fanion/oql';
import type { KeyValue } from './attribute-rules.ts';
import { labelsOf, type MetricPlan, measuredSpans } from './metric-rules.ts';
import { type Columns, call, duration, field, keep, limit, pipeline, sort, stats } from './oql-tree.ts';
import { type Exemplar, placeOf, type Series, type Steps } from './series-rules.ts';
import type { Stage } from './traceql/tree.ts';

/**
 * Exemplars are spans of a series, which Grafana links to their traces. A query has some of each series over all of its
 * time: one of each group in each of a few equal parts of the window.
 */

export interface ExemplarPlan {
  readonly pipeline: Tree.Pipeline;
  /** Most rows. */
  readonly most: number;
}

/** @param series how many the metric has */
export function exemplarPlan(
  stages: readonly Stage[],
  metric: MetricPlan['metric'],
  { widthNs, count }: Steps,
  { series, most }: { readonly series: number; readonly most: number },
): ExemplarPlan {
  const { before, keys, measured } = measuredSpans(stages, metric);
  const parts = Math.max(1, Math.min(count, Math.floor(most / Math.max(1, series))));
  const partNs = widthNs * BigInt(Math.ceil(count / parts));
  return {
    pipeline: pipeline(
      'spans',
      ...before,
      // Ids of spans are random, so the smallest one prefers neither slow nor fast spans.
      stats(chosen(metric.kind, isCount(metric.kind) ? undefined : measured?.value), [
        ['part', call('bucket', field('moment'), duration(partNs))],
        ...keys,
      ]),
      sort(field('span')),
      limit(most),
      keep(...keys.map(([name]) => name), 'span', ...(isCount(metric.kind) ? [] : ['value'])),
    ),
    most,
  };
}

const isCount = (kind: MetricPlan['metric']['kind']) =>
  kind === 'rate' || kind === 'count_over_time' || kind === 'histogram_over_time';

/** The span of each group: of the largest or smallest value where these are measured, any one otherwise. */
function chosen(kind: MetricPlan['metric']['kind'], value: Tree.Expression | undefined): Columns {
  const span = call('concat', field('span_id'), field('trace_id'), call('string', field('time')));
  if (value === undefined) return [['span', call('min', span)]];
  const fn = kind === 'max_over_time' ? 'max' : 'min';
  if (kind === 'max_over_time' || kind === 'min_over_time')
    return [
      ['span', call(`arg${fn}`, span, value)],
      ['value', call(fn, value)],
    ];
  return [
    ['span', call('min', span)],
    ['value', call('argmin', value, field('span_id'))],
  ];
}

type Rows = readonly (readonly ResultValue[])[];

/**
 * The series with their exemplars, which are sorted by time.
 * @param nanosOf of a time as OQL writes it
 */
export function withExemplars(
  series: readonly Series[],
  plan: MetricPlan,
  rows: Rows,
  steps: Steps,
  nanosOf: (time: string) => bigint,
): Series[] {
  const keyCount = plan.keys.length + (plan.metric.kind === 'histogram_over_time' ? 1 : 0);
  const known = new Map(series.map((one) => [idOf(one.labels), one]));
  const found = new Map<Series, Exemplar[]>();
  for (const row of rows) {
    const exemplar = exemplarOf(String(row[keyCount]), row[keyCount + 1], steps, nanosOf);
    const candidates = levelsOf(plan.metric).flatMap((_, i) => {
      const one = known.get(idOf(labelsOf(plan, row.slice(0, keyCount), i)));
      return one === undefined ? [] : [one];
    });
    const owner = ownerOf(candidates, exemplar);
    if (owner !== undefined) found.set(owner, [...(found.get(owner) ?? []), exemplar]);
  }
  return series.map((one) => ({ ...one, exemplars: (found.get(one) ?? []).sort(byTime) }));
}

const idOf = (labels: readonly KeyValue[]) => JSON.stringify(labels);
const byTime = (a: Exemplar, b: Exemplar) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0);
const levelsOf = (metric: MetricPlan['metric']) => (metric.kind === 'quantile_over_time' ? metric.levels : [1]);

const [spanDigits, traceDigits] = [16, 32];

function exemplarOf(
  span: string,
  value: ResultValue | undefined,
  steps: Steps,
  nanosOf: (time: string) => bigint,
): Exemplar {
  const timeNs = nanosOf(span.slice(spanDigits + traceDigits));
  return {
    traceId: span.slice(spanDigits, spanDigits + traceDigits),
    spanId: span.slice(0, spanDigits),
    timeNs,
    step: placeOf(timeNs, steps),
    value: typeof value === 'number' ? value : undefined,
  };
}

/** Of several quantiles, the least one that is not below the value of the span. */
function ownerOf(candidates: readonly Series[], { step, value }: Exemplar): Series | undefined {
  const own = (one: Series) => one.values[step] ?? Number.NaN;
  const sorted = candidates.filter((one) => !Number.isNaN(own(one))).sort((a, b) => own(a) - own(b));
  return sorted.find((one) => value === undefined || own(one) >= value) ?? sorted.at(-1);
}
