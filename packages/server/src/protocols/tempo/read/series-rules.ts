import type { Window } from '../../../platform/time-window.ts';
import type { KeyValue } from './attribute-rules.ts';
import { comparisons } from './traceql/comparisons.ts';
import { computed } from './traceql/metrics-values.ts';
import type { MetricsOperator, SecondStage } from './traceql/tree.ts';

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

/** Lets other work run in between: there may be many series, and many steps of each. */
export type Pause = () => Promise<void> | undefined;

/** What follows a metrics function; series without any value left are left out. */
export async function processed(
  series: readonly Series[],
  stages: readonly SecondStage[],
  pause: Pause,
): Promise<Series[]> {
  let left = [...series];
  for (const stage of stages)
    left = stage.kind === 'filter' ? await filtered(left, stage, pause) : await picked(left, stage, pause);
  return left;
}

/** Each series by a function; undefined: it is left out. */
async function each(
  series: readonly Series[],
  pause: Pause,
  change: (one: Series) => Series | undefined,
): Promise<Series[]> {
  const changed: Series[] = [];
  for (const one of series) {
    const after = change(one);
    if (after !== undefined) changed.push(after);
    await pause();
  }
  return changed;
}

/** The largest or smallest values of each step. */
async function picked(
  series: readonly Series[],
  { kind, count }: SecondStage & { readonly kind: 'topk' | 'bottomk' },
  pause: Pause,
): Promise<Series[]> {
  const left = await each(series, pause, (one) => ({ ...one, values: one.values.slice() }));
  const steps = left.reduce((most, { values }) => Math.max(most, values.length), 0);
  const sign = kind === 'topk' ? -1 : 1;
  for (let step = 0; step < steps; step++) {
    const order = left
      .filter(({ values }) => !Number.isNaN(values[step]))
      .sort((a, b) => sign * ((a.values[step] ?? 0) - (b.values[step] ?? 0)));
    for (const { values } of order.slice(count)) values[step] = Number.NaN;
    await pause();
  }
  return each(left, pause, withValues);
}

/** The values that compare so; of spans with their own values, those that do. */
function filtered(
  series: readonly Series[],
  { operator, value: bound }: SecondStage & { readonly kind: 'filter' },
  pause: Pause,
): Promise<Series[]> {
  const holds = comparisons[operator];
  return each(series, pause, (one) =>
    withValues({
      ...one,
      values: one.values.map((value) => (holds(value, bound) ? value : Number.NaN)),
      exemplars: one.exemplars.filter(({ value }) => value === undefined || holds(value, bound)),
    }),
  );
}

/** A series with the exemplars of the values that it has; undefined: it has none. */
function withValues(series: Series): Series | undefined {
  if (series.values.every(Number.isNaN)) return undefined;
  return { ...series, exemplars: series.exemplars.filter(({ step }) => !Number.isNaN(series.values[step])) };
}

/** Each value of a metric with a number, on the side that the query has it. */
export function scaled(series: readonly Series[], by: (value: number) => number, pause: Pause): Promise<Series[]> {
  return each(series, pause, (one) => ({
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
export async function combined(
  operator: MetricsOperator,
  left: readonly Series[],
  right: readonly Series[],
  pause: Pause,
): Promise<Series[]> {
  const [lefts, rights] = [await keyed(left, pause), await keyed(right, pause)];
  const found: Series[] = [];
  for (const key of (rights.has(noLabels) ? lefts : rights).keys()) {
    const [a, b] = [lefts.get(key), rights.get(key)];
    const [one, other] = [a ?? lefts.get(noLabels), b ?? rights.get(noLabels)];
    if (one === undefined || other === undefined) continue;
    found.push({
      labels: mergedLabels(operator, one.labels, other.labels),
      values: one.values.map((value, i) => computed(operator, value, other.values[i] ?? Number.NaN)),
      // Of a metric for all groups, the spans of the groups say more.
      exemplars: onTheLine([...(a?.exemplars ?? []), ...(b?.exemplars ?? [])]),
    });
    await pause();
  }
  return found;
}

async function keyed(series: readonly Series[], pause: Pause): Promise<ReadonlyMap<string, Series>> {
  const found = new Map<string, Series>();
  for (const one of series) {
    found.set(keyOf(one), one);
    await pause();
  }
  return found;
}

/** The value of a span is no value of the result. */
function onTheLine(exemplars: readonly Exemplar[]): Exemplar[] {
  return exemplars.map((one) => ({ ...one, value: undefined }));
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
