import { add, subtract } from '../histogram/arithmetic.ts';
import { bucketsOf } from '../histogram/buckets.ts';
import { type CounterReset, CUSTOM_BUCKETS, type NativeHistogram } from '../histogram/native-histogram.ts';
import { type Labels, METRIC_NAME } from '../labels.ts';
import { parsePromql } from '../parse/index.ts';

/** A sample in Prometheus' notation for series: undefined is a gap. */
export type Point = NotedHistogram | number | 'stale' | undefined;

export interface NotedHistogram {
  readonly histogram: NativeHistogram;
  /** Whether `counter_reset_hint` was written. */
  readonly saysReset: boolean;
}

export interface NotedSeries {
  readonly labels: Labels;
  readonly points: readonly Point[];
}

const series = /^((?:[A-Za-z_:][\w:]*)?\s*(?:\{(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^}"'])*\})?)\s*(?:\s(.*))?$/s;

/** `metric{label="value"} 1 2+3x2 _ stale {{schema:1 sum:3}}` */
export function seriesOf(line: string): NotedSeries {
  const [, metric = '', points = ''] = series.exec(line) ?? [];
  return { labels: labelsOf(metric.trim()), points: pointsOf(points) };
}

export function labelsOf(metric: string): Labels {
  if (/^\{\s*\}$/.test(metric) || metric === '') return new Map();
  const selector = parsePromql(metric);
  if (selector.kind !== 'selector') throw new Error(`not a series: ${metric}`);
  const labels = new Map(
    selector.matchers.filter(({ value }) => value !== '').map(({ name, value }): [string, string] => [name, value]),
  );
  if (selector.metric !== undefined) labels.set(METRIC_NAME, selector.metric);
  return labels;
}

export function pointsOf(text: string): Point[] {
  const items = text.match(/\{\{[^}]*\}\}(?:[+-]\{\{[^}]*\}\})?(?:x\d+)?|\S+/g) ?? [];
  return items.flatMap((item) => (item.startsWith('{{') ? histogramsOf(item) : floatsOf(item)));
}

const number = '[+-]?(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?|[iI]nf|[nN]a[nN])';
const floats = new RegExp(`^(${number})(?:([+-])(${number}))?(?:x(\\d+))?$`);

function floatsOf(item: string): Point[] {
  const gap = /^_(?:x(\d+))?$/.exec(item);
  if (gap !== null) return new Array(Number(gap[1] ?? 1)).fill(undefined);
  const stale = /^stale(?:x(\d+))?$/.exec(item);
  if (stale !== null) return new Array(Number(stale[1] ?? 0) + 1).fill('stale');
  const [, first, sign, step = '0', times = '0'] = floats.exec(item) ?? [];
  if (first === undefined) throw new Error(`not a sample: ${item}`);
  let value = numberOf(first);
  const points: Point[] = [];
  for (let i = 0; i <= Number(times); i++) {
    points.push(value);
    if (sign !== undefined) value += (sign === '-' ? -1 : 1) * numberOf(step);
  }
  return points;
}

export function numberOf(text: string): number {
  if (/inf$/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /nan$/i.test(text) ? Number.NaN : Number(text);
}

function histogramsOf(item: string): Point[] {
  const [, first = '', sign, step, times] = /^\{\{([^}]*)\}\}(?:([+-])\{\{([^}]*)\}\})?(?:x(\d+))?$/.exec(item) ?? [];
  const { histogram, saysReset } = histogramOf(first);
  const points: Point[] = [{ histogram, saysReset }];
  const difference = step === undefined ? undefined : histogramOf(step);
  let last = histogram;
  for (let i = 0; i < Number(times ?? 0); i++) {
    const sum = difference && (sign === '-' ? subtract : add)(last, difference.histogram);
    last = sum?.histogram ?? last;
    points.push({ histogram: last, saysReset: difference?.saysReset ?? saysReset });
  }
  return points;
}

const resets: Readonly<Record<string, CounterReset>> = { reset: 'reset', not_reset: 'not-reset', gauge: 'gauge' };

/** `schema:1 sum:3 count:22 buckets:[5 10 7]` */
export function histogramOf(text: string): NotedHistogram {
  const parts = new Map<string, string>();
  for (const [, key = '', value = ''] of text.matchAll(/(\w+):(\[[^\]]*\]|\S+)/g)) parts.set(key, value);
  const numberAt = (key: string) => numberOf(parts.get(key) ?? '0');
  const listAt = (key: string) =>
    (parts.get(key) ?? '')
      .replace(/[[\]]/g, '')
      .split(/\s+/)
      .filter((one) => one !== '')
      .map(numberOf);
  const bucketsAt = (key: string, offset: number) => {
    const counts = listAt(key);
    return bucketsOf(
      counts.map((_, i) => i + offset),
      counts,
    );
  };
  const schema = numberAt('schema');
  const hint = parts.get('counter_reset_hint');
  const histogram: NativeHistogram = {
    schema,
    counterReset: resets[hint ?? ''] ?? 'unknown',
    count: numberAt('count'),
    sum: numberAt('sum'),
    zeroThreshold: numberAt('z_bucket_w'),
    zeroCount: numberAt('z_bucket'),
    positive: bucketsAt('buckets', numberAt('offset')),
    negative: bucketsAt('n_buckets', numberAt('n_offset')),
    ...(schema === CUSTOM_BUCKETS && { customValues: Float64Array.from(listAt('custom_values')) }),
  };
  return { histogram, saysReset: hint !== undefined };
}
