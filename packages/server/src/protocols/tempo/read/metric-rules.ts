import type { ResultValue, Tree } from '@fanion/oql';
import { type AnyValue, anyValue, type KeyValue } from './attribute-rules.ts';
import { columnOf } from './column-rules.ts';
import { conditionOf } from './condition-rules.ts';
import {
  all,
  arithmetic,
  type Columns,
  call,
  compare,
  duration,
  extend,
  field,
  float,
  int,
  pipeline,
  some,
  stats,
  where,
} from './oql-tree.ts';
import { relatedStages } from './related-rules.ts';
import type { Pause, Series, Steps } from './series-rules.ts';
import { selectedBy } from './spanset-condition-rules.ts';
import { unsupported } from './traceql/error.ts';
import { writtenField } from './traceql/fields.ts';
import type { Field, Metric, Stage } from './traceql/tree.ts';

/** How the rows of a metric's query become series. */
export interface MetricPlan {
  readonly pipeline: Tree.Pipeline;
  readonly metric: Exclude<Metric, { readonly kind: 'compare' }>;
  /** Rows have the step, then the keys, then the values. */
  readonly keys: readonly string[];
}

/** @param widthNs of steps; undefined: the whole window is one */
export function metricPlan(
  stages: readonly Stage[],
  metric: MetricPlan['metric'],
  widthNs: bigint | undefined,
): MetricPlan {
  const { before, keys, measured } = measuredSpans(stages, metric);
  return {
    pipeline: pipeline(
      'spans',
      ...before,
      stats(aggregatesOf(metric, measured?.value), [
        // Without a key, no span at all would be a row, too.
        ['step', widthNs === undefined ? int(0n) : call('bucket', field('moment'), duration(widthNs))],
        ...keys,
      ]),
    ),
    metric,
    keys: metric.by.map(writtenField),
  };
}

/** The spans that a metric counts, with what it measures of them and groups them by. */
export function measuredSpans(stages: readonly Stage[], metric: MetricPlan['metric']) {
  const measured = 'of' in metric ? measureOf(metric.of) : undefined;
  const isHistogram = metric.kind === 'histogram_over_time';
  const condition = all(selectedBy(stages), ...(measured === undefined ? [] : measured.conditions));
  const keys: Columns = [
    ...metric.by.map((one, i) => [`key${i}`, columnOf(one)] as const),
    ...(isHistogram && measured ? [['bucket', bucketOf(measured)] as const] : []),
  ];
  // Steps are open at their beginning and closed at their end; those of OQL are the other way round.
  const moment = arithmetic(field('time'), '-', duration(1n));
  const before = [
    where(condition),
    ...relatedStages([...metric.by, ...('of' in metric ? [metric.of] : [])]),
    ...(isHistogram && measured ? [where(compare(measured.whole, '>=', int(2n)))] : []),
    extend([['moment', moment], ...(isHistogram && measured ? measured.columns : [])]),
  ];
  return { before, keys, measured };
}

interface Measure {
  /** A number; durations in seconds. */
  readonly value: Tree.Expression;
  /** The same in whole units; durations in nanoseconds. */
  readonly whole: Tree.Expression;
  readonly isDuration: boolean;
  /** Whether a span has it. */
  readonly conditions: readonly Tree.Expression[];
  readonly columns: Columns;
}

function measureOf(of: Field): Measure {
  if (of.kind === 'intrinsic' && of.name === 'duration') {
    const whole = call('int', field('duration'));
    return {
      value: call('seconds', field('duration')),
      whole,
      isDuration: true,
      conditions: [],
      columns: powerOf(whole),
    };
  }
  if (of.kind === 'intrinsic' && of.name !== 'span:childCount') throw unsupported(`a metric of ${of.name}`);
  const column = columnOf(of);
  const [value, whole] = [call('float', column), call('int', call('float', column))];
  // Of an attribute, only numbers are measured.
  const conditions = of.kind === 'attribute' ? [some(comparedWithZero(of, '>='), comparedWithZero(of, '<'))] : [];
  return { value, whole, isDuration: false, conditions, columns: powerOf(whole) };
}

function comparedWithZero(of: Field, operator: '>=' | '<'): Tree.Expression {
  return conditionOf({
    kind: 'binary',
    operator,
    left: { kind: 'field', field: of },
    right: { kind: 'static', static: { type: 'int', value: 0n } },
  });
}

/** The power of two at or above a whole number, but for the rounding of logarithms. */
function powerOf(whole: Tree.Expression): Columns {
  return [
    ['whole', whole],
    ['power', call('pow', int(2n), call('ceil', call('log2', field('whole'))))],
  ];
}

/** The bucket of a histogram: the least power of two that holds a value; of durations in seconds. */
function bucketOf({ isDuration }: Measure): Tree.Expression {
  const [power, whole] = [field('power'), field('whole')];
  const half = arithmetic(power, '/', int(2n));
  const least = call(
    'if',
    compare(power, '<', whole),
    arithmetic(power, '*', int(2n)),
    call('if', compare(half, '>=', whole), half, power),
  );
  return isDuration ? arithmetic(least, '/', float(1e9)) : least;
}

function aggregatesOf(metric: MetricPlan['metric'], value: Tree.Expression | undefined): Columns {
  const fn = (name: string) => (value === undefined ? call('count') : call(name, value));
  switch (metric.kind) {
    case 'rate':
    case 'count_over_time':
    case 'histogram_over_time':
      return [['value0', call('count')]];
    case 'quantile_over_time':
      return metric.levels.map((level, i) => [
        `value${i}`,
        value === undefined ? call('count') : call('quantile', value, float(level)),
      ]);
    default:
      return [['value0', fn(metric.kind.slice(0, 3))]];
  }
}

type Rows = readonly (readonly ResultValue[])[];

interface Reading {
  /** The place of a step's beginning, as OQL writes it. */
  readonly stepOf: (begin: ResultValue) => number;
  /** Throws if there are too many series, before memory is taken for all of their steps. */
  readonly refuse: (series: number) => void;
  readonly pause: Pause;
}

/** The series of an answer. */
export async function seriesOf(
  plan: MetricPlan,
  rows: Rows,
  steps: Steps,
  { stepOf, refuse, pause }: Reading,
): Promise<Series[]> {
  const { metric, keys } = plan;
  const isHistogram = metric.kind === 'histogram_over_time';
  const keyCount = keys.length + (isHistogram ? 1 : 0);
  const isCount = metric.kind === 'rate' || metric.kind === 'count_over_time' || isHistogram;
  const seconds = metric.kind === 'rate' ? Number(steps.widthNs) / 1e9 : 1;
  const found = new Map<string, Series>();
  for (const row of rows) {
    const [place, values] = [stepOf(row[0] ?? null), row.slice(1)];
    if (place < 0 || place >= steps.count) continue;
    for (const [i, raw] of values.slice(keyCount).entries()) {
      const labels = labelsOf(plan, values.slice(0, keyCount), i);
      const id = JSON.stringify(labels);
      let series = found.get(id);
      if (series === undefined) {
        refuse(found.size + 1);
        // A count of nothing is 0; of other values there is none.
        series = { labels, values: new Float64Array(steps.count).fill(isCount ? 0 : Number.NaN), exemplars: [] };
        found.set(id, series);
      }
      if (raw !== null && raw !== undefined) series.values[place] = Number(raw) / seconds;
    }
    await pause();
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, series]) => series);
}

export function labelsOf({ metric, keys }: MetricPlan, values: readonly ResultValue[], aggregate: number): KeyValue[] {
  const labels: KeyValue[] = keys.flatMap((key, i) => {
    const value = values[i] ?? null;
    return value === null ? [] : [{ key, value: anyValue(value) }];
  });
  // A group without any of its keys has the first one, as nil.
  const [first] = keys;
  if (labels.length === 0 && first !== undefined) labels.push({ key: first, value: { stringValue: 'nil' } });
  if (metric.kind === 'histogram_over_time') labels.push({ key: '__bucket', value: asDouble(values[keys.length]) });
  else if (metric.kind === 'quantile_over_time') labels.push({ key: 'p', value: asDouble(metric.levels[aggregate]) });
  else if (first === undefined) labels.push({ key: '__name__', value: { stringValue: metric.kind } });
  return labels;
}

const asDouble = (value: ResultValue | undefined): AnyValue => ({ doubleValue: Number(value) });
