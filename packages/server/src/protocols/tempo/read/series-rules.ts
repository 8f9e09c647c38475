import type { Window } from '../../../platform/time-window.ts';
import type { KeyValue } from './attribute-rules.ts';
import { computed } from './traceql/metrics-values.ts';
import type { FilterOperator, MetricsOperator, SecondStage } from './traceql/tree.ts';

/** Steps of a metric: each ends at a multiple of its width, and has the spans that began after the one before. */
export interface Steps {
  readonly firstNs: bigint;
  readonly widthNs: bigint;
  readonly count: number;
}

/** The place of the step of a moment. */
export function placeOf(timeNs: bigint, { firstNs, widthNs }: Pick<Steps, 'firstNs' | 'widthNs'>): number {
  return Number((timeNs - 1n - firstNs) / widthNs);
}

export interface Range {
  /** Whether the answer is by step: the whole window is one value otherwise. */
  readonly hasSteps: boolean;
  readonly window: Window;
  readonly steps: Steps;
}

/** The range of one request, and its limits. */
export interface Bounds extends Range {
  /** Throws if an answer would have too many series. */
  readonly refuse: (series: number) => void;
  readonly nowMs: number;
}

export interface Series {
  readonly labels: readonly KeyValue[];
  /** By step; NaN: none. */
  readonly values: Float64Array;
  readonly exemplars: readonly Exemplar[];
}

/** A span that a series counts. */
export interface Exemplar {
  readonly traceId: string;
  readonly spanId: string;
  readonly timeNs: bigint;
  /** The place of its step. */
  readonly step: number;
  /** Its own value; undefined: that of the series in its step. */
  readonly value: number | undefined;
}

/**
 * What follows a metrics function; series without any value left are left out.
 * @param pause lets other work run; called after each step, since there may be many series
 */
export async function processed(
  series: readonly Series[],
  stages: readonly SecondStage[],
  pause: () => Promise<void> | undefined,
): Promise<Series[]> {
  let left = [...series];
  for (const stage of stages) left = stage.kind === 'filter' ? filtered(left, stage) : await picked(left, stage, pause);
  return left;
}

/** The largest or smallest values of each step. */
async function picked(
  series: readonly Series[],
  { kind, count }: SecondStage & { readonly kind: 'topk' | 'bottomk' },
  pause: () => Promise<void> | undefined,
): Promise<Series[]> {
  const left = series.map((one) => ({ ...one, values: one.values.slice() }));
  const steps = left.reduce((most, { values }) => Math.max(most, values.length), 0);
  const sign = kind === 'topk' ? -1 : 1;
  for (let step = 0; step < steps; step++) {
    const order = left
      .filter(({ values }) => !Number.isNaN(values[step]))
      .sort((a, b) => sign * ((a.values[step] ?? 0) - (b.values[step] ?? 0)));
    for (const { values } of order.slice(count)) values[step] = Number.NaN;
    await pause();
  }
  return left.filter(hasValues).map(withoutLost);
}

const comparisons: Readonly<Record<FilterOperator, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '!=': (value, bound) => value !== bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** The values that compare so; of spans with their own values, those that do. */
function filtered(series: readonly Series[], { operator, value: bound }: SecondStage & { readonly kind: 'filter' }) {
  const holds = comparisons[operator];
  return series
    .map((one) => ({
      ...one,
      values: one.values.map((value) => (holds(value, bound) ? value : Number.NaN)),
      exemplars: one.exemplars.filter(({ value }) => value === undefined || holds(value, bound)),
    }))
    .filter(hasValues)
    .map(withoutLost);
}

const hasValues = ({ values }: Series) => values.some((value) => !Number.isNaN(value));

function withoutLost(series: Series): Series {
  return { ...series, exemplars: series.exemplars.filter(({ step }) => !Number.isNaN(series.values[step])) };
}

/** Each value of a metric with a number, on the side that the query has it. */
export function scaled(series: readonly Series[], by: (value: number) => number): Series[] {
  return series.map((one) => ({
    ...one,
    values: one.values.map(by),
    exemplars: one.exemplars.map((exemplar) => ({
      ...exemplar,
      value: exemplar.value === undefined ? undefined : by(exemplar.value),
    })),
  }));
}

/**
 * Two metrics, matched by all of their labels. A series without labels goes with each of the other side; series without a
 * partner are left out. As in Tempo, which has no other way to match (`pkg/traceql/ast_metrics_math.go`).
 */
export function combined(operator: MetricsOperator, left: readonly Series[], right: readonly Series[]): Series[] {
  const [lefts, rights] = [left, right].map((side) => new Map(side.map((one) => [keyOf(one), one])));
  if (lefts === undefined || rights === undefined) return [];
  const target = rights.has(noLabels) ? left : right;
  return target.flatMap((one): Series[] => {
    const key = keyOf(one);
    const [a, b] = [lefts.get(key) ?? lefts.get(noLabels), rights.get(key) ?? rights.get(noLabels)];
    if (a === undefined || b === undefined) return [];
    return [
      {
        labels: mergedLabels(operator, a.labels, b.labels),
        values: a.values.map((value, i) => computed(operator, value, b.values[i] ?? Number.NaN)),
        exemplars: sharedExemplars(a, b),
      },
    ];
  });
}

/** The labels of a metric without groups are only its name. */
const noLabels = '[]';
const isName = ({ key }: KeyValue) => key === '__name__';

function keyOf({ labels }: Series): string {
  const own = labels.filter((label) => !isName(label)).map(({ key, value }) => JSON.stringify([key, value]));
  return JSON.stringify(own.sort());
}

function mergedLabels(operator: MetricsOperator, left: readonly KeyValue[], right: readonly KeyValue[]): KeyValue[] {
  const [a, b] = [left.find(isName), right.find(isName)].map((label) => nameIn(label));
  const keys = new Set(left.map(({ key }) => key));
  const labels = [...left, ...right.filter(({ key }) => !keys.has(key))].filter((label) => !isName(label));
  if (a === undefined || b === undefined) return labels;
  return [...labels, { key: '__name__', value: { stringValue: `(${a} ${operator} ${b})` } }];
}

const nameIn = (label: KeyValue | undefined) =>
  label !== undefined && 'stringValue' in label.value ? label.value.stringValue : undefined;

/** Of a metric for all groups, the spans of the groups say more. The value of a span is no value of the result. */
function sharedExemplars(left: Series, right: Series): Exemplar[] {
  const [a, b] = [keyOf(left) === noLabels, keyOf(right) === noLabels];
  const of = a === b ? [...left.exemplars, ...right.exemplars] : a ? right.exemplars : left.exemplars;
  return of.map((one) => ({ ...one, value: undefined }));
}
