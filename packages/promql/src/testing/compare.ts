import { compacted } from '../histogram/buckets.ts';
import type { Buckets, NativeHistogram } from '../histogram/native-histogram.ts';
import { haveSameBounds } from '../histogram/reconcile.ts';
import { histogramText } from '../histogram/text.ts';
import type { Labels } from '../labels.ts';
import { METRIC_NAME } from '../labels.ts';
import type { NotedHistogram, Point } from './notation.ts';
import type { EvalCommand } from './script.ts';

/** What a query returned. An API shows histograms in another form (`H`) than the engine. */
export interface Answer<H> {
  readonly result: Result<H>;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
}

export type Result<H> =
  | { readonly type: 'scalar'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'vector'; readonly samples: readonly Actual<H>[] }
  | { readonly type: 'matrix'; readonly series: readonly ActualSeries<H>[] };

interface Actual<H> {
  readonly labels: Labels;
  readonly value: number;
  readonly histogram?: H | undefined;
}

interface ActualSeries<H> {
  readonly labels: Labels;
  readonly times: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  readonly histograms?: readonly (H | undefined)[] | undefined;
}

/** How histograms of one form are compared with those of a script. */
export interface HistogramForm<H> {
  isSame(wanted: NotedHistogram, actual: H): boolean;
  textOf(histogram: H): string;
}

const keyOf = (labels: Labels) => JSON.stringify([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));

/** How an answer differs from what a script expects, or undefined. */
export function difference<H>(command: EvalCommand, result: Result<H>, form: HistogramForm<H>): string | undefined {
  switch (result.type) {
    case 'scalar':
      if (command.scalar === undefined) return `got the scalar ${result.value}`;
      return isAlmost(command.scalar, result.value) ? undefined : `expected ${command.scalar}, got ${result.value}`;
    case 'string':
      return command.text === result.value ? undefined : `expected ${command.text}, got ${result.value}`;
    case 'vector':
      return vectorDifference(command, result.samples, form);
    case 'matrix':
      return matrixDifference(command, result.series, form);
  }
}

export function notesDifference(
  { expectations }: EvalCommand,
  { warnings, infos }: Pick<Answer<unknown>, 'warnings' | 'infos'>,
): string | undefined {
  for (const [kind, actual] of [['warn', warnings] as const, ['info', infos] as const]) {
    if (expectations.some((one) => one.kind === `no_${kind}`) && actual.length > 0)
      return `unexpected ${kind}: ${actual[0]}`;
    const expected = expectations.filter((one) => one.kind === kind);
    if (expected.length === 0) continue;
    const missing = expected.find(({ matches }) => !actual.some(matches));
    if (missing !== undefined) return `expected ${kind} ${missing.text}, got ${JSON.stringify(actual)}`;
    const unexpected = actual.find((note) => !expected.some(({ matches }) => matches(note)));
    if (unexpected !== undefined) return `unexpected ${kind}: ${unexpected}`;
  }
  return undefined;
}

function vectorDifference<H>(
  command: EvalCommand,
  actual: readonly Actual<H>[],
  form: HistogramForm<H>,
): string | undefined {
  if (command.scalar !== undefined) return 'expected a scalar, got a vector';
  const expected = new Map(command.series.map((series, place) => [keyOf(series.labels), { ...series, place }]));
  const isOrdered = command.expectations.some(({ kind }) => kind === 'ordered');
  for (const [place, { labels, value, histogram }] of actual.entries()) {
    const wanted = expected.get(keyOf(labels));
    if (wanted === undefined) return `unexpected ${labelText(labels)} ${textOf(value, histogram, form)}`;
    expected.delete(keyOf(labels));
    if (isOrdered && wanted.place !== place) return `${labelText(labels)} is at ${place} instead of ${wanted.place}`;
    const wrong = pointDifference(wanted.points[0], value, histogram, form);
    if (wrong !== undefined) return `${labelText(labels)}: ${wrong}`;
  }
  const [missing] = expected.values();
  return missing && `missing ${labelText(missing.labels)}`;
}

function matrixDifference<H>(
  command: EvalCommand,
  actual: readonly ActualSeries<H>[],
  form: HistogramForm<H>,
): string | undefined {
  const expected = new Map(command.series.map((series) => [keyOf(series.labels), series]));
  const { start, stepMs } = command.range ?? command;
  for (const { labels, times, values, histograms } of actual) {
    const shown = Array.from(values).join(' ');
    const wanted = expected.get(keyOf(labels));
    if (wanted === undefined) return `unexpected ${labelText(labels)} ${shown}`;
    expected.delete(keyOf(labels));
    const points = wanted.points.flatMap((point, i) =>
      point === undefined ? [] : [{ point, time: start + i * stepMs }],
    );
    if (points.length !== times.length) return `${labelText(labels)}: expected ${points.length} points, got ${shown}`;
    for (const [i, { point, time }] of points.entries()) {
      if (times[i] !== time) return `${labelText(labels)}: expected a point at ${time}, got one at ${times[i]}`;
      const wrong = pointDifference(point, values[i] ?? 0, histograms?.[i], form);
      if (wrong !== undefined) return `${labelText(labels)} at ${time}: ${wrong}`;
    }
  }
  const [missing] = expected.values();
  return missing && `missing ${labelText(missing.labels)}`;
}

function pointDifference<H>(
  wanted: Point,
  value: number,
  histogram: H | undefined,
  form: HistogramForm<H>,
): string | undefined {
  if (typeof wanted === 'object') {
    if (histogram !== undefined && form.isSame(wanted, histogram)) return undefined;
    return `expected ${nativeForm.textOf(wanted.histogram)}, got ${textOf(value, histogram, form)}`;
  }
  if (histogram === undefined && isAlmost(Number(wanted ?? 0), value)) return undefined;
  return `expected ${wanted}, got ${textOf(value, histogram, form)}`;
}

function textOf<H>(value: number, histogram: H | undefined, form: HistogramForm<H>): string {
  return histogram === undefined ? String(value) : form.textOf(histogram);
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

/** Histograms of the engine. */
export const nativeForm: HistogramForm<NativeHistogram> = {
  textOf: (histogram) => `${histogramText(histogram)} ${histogram.counterReset} schema ${histogram.schema}`,
  isSame: ({ histogram: wanted, saysReset }, actual) =>
    wanted.schema === actual.schema &&
    isAlmost(wanted.count, actual.count) &&
    isAlmost(wanted.sum, actual.sum) &&
    wanted.zeroThreshold === actual.zeroThreshold &&
    isAlmost(wanted.zeroCount, actual.zeroCount) &&
    haveSameBounds(wanted, actual) &&
    areSame(wanted.positive, actual.positive) &&
    areSame(wanted.negative, actual.negative) &&
    (!saysReset || wanted.counterReset === actual.counterReset),
};

function areSame(wanted: Buckets, actual: Buckets): boolean {
  const [a, b] = [compacted(wanted), compacted(actual)];
  return (
    a.indexes.length === b.indexes.length &&
    a.indexes.every((index, i) => index === b.indexes[i] && isAlmost(a.counts[i] ?? 0, b.counts[i] ?? 0))
  );
}
