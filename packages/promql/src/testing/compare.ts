import type { Evaluation } from '../evaluate.ts';
import { compacted } from '../histogram/buckets.ts';
import type { Buckets, NativeHistogram } from '../histogram/native-histogram.ts';
import { haveSameBounds } from '../histogram/reconcile.ts';
import { histogramText } from '../histogram/text.ts';
import type { Labels } from '../labels.ts';
import { METRIC_NAME } from '../labels.ts';
import type { SampleSeries } from '../samples.ts';
import type { NotedHistogram, Point } from './notation.ts';
import type { EvalCommand } from './script.ts';

const keyOf = (labels: Labels) => JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));

/** How a result differs from what a script expects, or undefined. */
export function difference(command: EvalCommand, result: Evaluation['result']): string | undefined {
  switch (result.type) {
    case 'scalar':
      if (command.scalar === undefined) return `got the scalar ${result.value}`;
      return isAlmost(command.scalar, result.value) ? undefined : `expected ${command.scalar}, got ${result.value}`;
    case 'string':
      return command.text === result.value ? undefined : `expected ${command.text}, got ${result.value}`;
    case 'vector': {
      const points = result.samples.map(({ labels, value, histogram }) => ({ labels, value, histogram }));
      return vectorDifference(command, points);
    }
    case 'matrix':
      return matrixDifference(command, result.series);
  }
}

interface Actual {
  readonly labels: Labels;
  readonly value: number;
  readonly histogram: NativeHistogram | undefined;
}

function vectorDifference(command: EvalCommand, actual: readonly Actual[]): string | undefined {
  if (command.scalar !== undefined) return 'expected a scalar, got a vector';
  const expected = new Map(command.series.map((series, place) => [keyOf(series.labels), { ...series, place }]));
  const isOrdered = command.expectations.some(({ kind }) => kind === 'ordered');
  for (const [place, { labels, value, histogram }] of actual.entries()) {
    const wanted = expected.get(keyOf(labels));
    if (wanted === undefined) return `unexpected ${labelText(labels)} ${textOf(value, histogram)}`;
    expected.delete(keyOf(labels));
    if (isOrdered && wanted.place !== place) return `${labelText(labels)} is at ${place} instead of ${wanted.place}`;
    const wrong = pointDifference(wanted.points[0], value, histogram);
    if (wrong !== undefined) return `${labelText(labels)}: ${wrong}`;
  }
  const [missing] = expected.values();
  return missing && `missing ${labelText(missing.labels)}`;
}

function matrixDifference(command: EvalCommand, actual: readonly SampleSeries[]): string | undefined {
  const expected = new Map(command.series.map((series) => [keyOf(series.labels), series]));
  const { start, stepMs } = command.range ?? command;
  for (const { labels, times, values, histograms } of actual) {
    const wanted = expected.get(keyOf(labels));
    if (wanted === undefined) return `unexpected ${labelText(labels)} ${values.join(' ')}`;
    expected.delete(keyOf(labels));
    const points = wanted.points.flatMap((point, i) =>
      point === undefined ? [] : [{ point, time: start + i * stepMs }],
    );
    if (points.length !== times.length)
      return `${labelText(labels)}: expected ${points.length} points, got ${values.join(' ')}`;
    for (const [i, { point, time }] of points.entries()) {
      if (times[i] !== time) return `${labelText(labels)}: expected a point at ${time}, got one at ${times[i]}`;
      const wrong = pointDifference(point, values[i] ?? 0, histograms?.[i]);
      if (wrong !== undefined) return `${labelText(labels)} at ${time}: ${wrong}`;
    }
  }
  const [missing] = expected.values();
  return missing && `missing ${labelText(missing.labels)}`;
}

function pointDifference(wanted: Point, value: number, histogram: NativeHistogram | undefined): string | undefined {
  if (typeof wanted === 'object') {
    if (histogram !== undefined && isSame(wanted, histogram)) return undefined;
    return `expected ${histogramText(wanted.histogram)} ${wanted.histogram.counterReset}, got ${textOf(value, histogram)}`;
  }
  if (histogram === undefined && isAlmost(Number(wanted ?? 0), value)) return undefined;
  return `expected ${wanted}, got ${textOf(value, histogram)}`;
}

function textOf(value: number, histogram: NativeHistogram | undefined): string {
  return histogram === undefined
    ? String(value)
    : `${histogramText(histogram)} ${histogram.counterReset} schema ${histogram.schema}`;
}

/** `a{b="c"}` */
function labelText(labels: Labels): string {
  const name = labels.get(METRIC_NAME) ?? '';
  const isPlain = /^[A-Za-z_:][\w:]*$/.test(name);
  const parts = [...labels]
    .filter(([label]) => label !== METRIC_NAME || !isPlain)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  if (isPlain) return parts.length === 0 ? name : `${name}{${parts.join(', ')}}`;
  return `{${parts.join(', ')}}`;
}

/** Relative; as Prometheus' scripts allow. */
const TOLERANCE = 1e-6;

export function isAlmost(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  const [sum, distance] = [Math.abs(a) + Math.abs(b), Math.abs(a - b)];
  if (a === 0 || b === 0 || sum < 2 ** -1022) return distance < TOLERANCE * 2 ** -1022;
  return distance / Math.min(sum, Number.MAX_VALUE) < TOLERANCE;
}

function isSame({ histogram: wanted, saysReset }: NotedHistogram, actual: NativeHistogram): boolean {
  return (
    wanted.schema === actual.schema &&
    isAlmost(wanted.count, actual.count) &&
    isAlmost(wanted.sum, actual.sum) &&
    wanted.zeroThreshold === actual.zeroThreshold &&
    isAlmost(wanted.zeroCount, actual.zeroCount) &&
    haveSameBounds(wanted, actual) &&
    areSame(wanted.positive, actual.positive) &&
    areSame(wanted.negative, actual.negative) &&
    (!saysReset || wanted.counterReset === actual.counterReset)
  );
}

function areSame(wanted: Buckets, actual: Buckets): boolean {
  const [a, b] = [compacted(wanted), compacted(actual)];
  return (
    a.indexes.length === b.indexes.length &&
    a.indexes.every((index, i) => index === b.indexes[i] && isAlmost(a.counts[i] ?? 0, b.counts[i] ?? 0))
  );
}
