import type { Column } from '../columns.ts';
import { setFloat, setHistogram } from '../columns.ts';
import { isEqual } from '../histogram/arithmetic.ts';
import type { NativeHistogram } from '../histogram/native-histogram.ts';
import { isReset } from '../histogram/reset.ts';
import { HistogramSum } from '../histogram/sum.ts';
import { metricOf } from '../label-sets.ts';
import { CompensatedSum, compensatedSum } from '../numbers.ts';
import type { RangeWindow } from '../ranges.ts';
import { average } from './average.ts';
import { quantileOf } from './quantile.ts';
import { ignoreHistograms, notMixed, type RangeContext, type RangeFunctionMaker } from './range-function.ts';

/** A function of the floats of a range; ranges without floats have no value. */
function ofFloats(value: (values: Float64Array, begin: number, until: number) => number): RangeFunctionMaker {
  return (context) => (window, column) => {
    if (window.floats === 0) return;
    ignoreHistograms(context, window);
    setFloat(column, window.step, value(window.series.values, window.begin, window.until));
  };
}

/** Sums of floats or of histograms. */
function sumOrAverage(
  ofValues: (values: Float64Array, begin: number, until: number) => number,
  of: 'sum' | 'average',
): RangeFunctionMaker {
  return (context) => (window, column) => {
    if (!notMixed(context, window)) return;
    if (window.histograms === 0)
      return setFloat(column, window.step, ofValues(window.series.values, window.begin, window.until));
    histogramSum(window, column, of, context);
  };
}

function histogramSum(window: RangeWindow, column: Column, of: 'sum' | 'average', { notes, at }: RangeContext): void {
  const [first, ...rest] = window.series.histograms.slice(window.histogramBegin, window.histogramUntil);
  if (first === undefined) return;
  const sum = new HistogramSum(first, of);
  if (rest.every((histogram) => sum.add(histogram))) setHistogram(column, window.step, sum.result);
  else notes.mixedSchemas(metricOf(window.series.labels), at);
  if (sum.collision) notes.resetCollision('aggregation', at);
  if (sum.changedBounds) notes.changedBounds('aggregation', at);
}

export const sumOverTime = sumOrAverage(compensatedSum, 'sum');
export const avgOverTime = sumOrAverage(average, 'average');

export const countOverTime: RangeFunctionMaker = () => (window, column) =>
  setFloat(column, window.step, window.floats + window.histograms);

export const presentOverTime: RangeFunctionMaker = () => (window, column) => setFloat(column, window.step, 1);

/** The index of the least or largest float of each range, from candidates that are kept while ranges move forward. */
function extreme(isBetter: (a: number, b: number) => boolean): RangeFunctionMaker {
  return (context) => {
    let [candidates, head, tail, seen] = [new Int32Array(0), 0, 0, 0];
    return (window, column) => {
      if (window.floats === 0) return;
      ignoreHistograms(context, window);
      const { values } = window.series;
      if (candidates.length === 0) candidates = new Int32Array(values.length);
      for (seen = Math.max(seen, window.begin); seen < window.until; seen++) {
        const value = values[seen] ?? 0;
        // NaN is only the result of nothing but NaN.
        if (Number.isNaN(value)) continue;
        while (tail > head && !isBetter(values[candidates[tail - 1] ?? 0] ?? 0, value)) tail--;
        candidates[tail++] = seen;
      }
      while (head < tail && (candidates[head] ?? 0) < window.begin) head++;
      const value = head < tail ? (values[candidates[head] ?? 0] ?? 0) : Number.NaN;
      setFloat(column, window.step, value);
    };
  };
}

export const maxOverTime = extreme((a, b) => a > b);
export const minOverTime = extreme((a, b) => a < b);

function variance(values: Float64Array, begin: number, until: number): number {
  const [mean, squares] = [new CompensatedSum(), new CompensatedSum()];
  for (let i = begin; i < until; i++) {
    const value = values[i] ?? 0;
    const distance = value - mean.sum;
    mean.add(distance / (i - begin + 1));
    squares.add(distance * (value - mean.sum));
  }
  return squares.sum / (until - begin);
}

export const stdvarOverTime = ofFloats(variance);
export const stddevOverTime = ofFloats((values, begin, until) => Math.sqrt(variance(values, begin, until)));

export const quantileOverTime: RangeFunctionMaker = (context) => {
  let buffer = new Float64Array(0);
  return (window, column) => {
    if (window.floats === 0) return;
    const quantile = context.scalars[0]?.[window.step] ?? Number.NaN;
    if (!(quantile >= 0 && quantile <= 1)) context.notes.invalidQuantile(quantile, context.atArguments);
    ignoreHistograms(context, window);
    if (buffer.length < window.floats) buffer = new Float64Array(window.floats * 2);
    const values = buffer.subarray(0, window.floats);
    values.set(window.series.values.subarray(window.begin, window.until));
    setFloat(column, window.step, quantileOf(quantile, values));
  };
};

export const lastOverTime = edge('last');
export const firstOverTime = edge('first');

function edge(of: 'first' | 'last'): RangeFunctionMaker {
  return () => (window, column) => {
    const { times, values, histogramTimes, histograms } = window.series;
    const float = of === 'first' ? window.begin : window.until - 1;
    const other = of === 'first' ? window.histogramBegin : window.histogramUntil - 1;
    const histogram = window.histograms === 0 ? undefined : histograms[other];
    const [time, otherTime] = [times[float] ?? 0, histogramTimes[other] ?? 0];
    const isFloat = window.floats > 0 && (of === 'first' ? time < otherTime : time > otherTime);
    if (histogram === undefined || isFloat) setFloat(column, window.step, values[float] ?? 0);
    else setHistogram(column, window.step, histogram);
  };
}

interface Compared {
  readonly value: number;
  readonly histogram: NativeHistogram | undefined;
}

/** How often something happened between neighboring samples. */
function events(
  ofFloats: (now: number, before: number) => boolean,
  ofHistograms: (now: NativeHistogram, before: NativeHistogram) => boolean,
): RangeFunctionMaker {
  const happened = (now: Compared, before: Compared) => {
    if (now.histogram !== undefined && before.histogram !== undefined)
      return ofHistograms(now.histogram, before.histogram);
    return now.histogram !== before.histogram || ofFloats(now.value, before.value);
  };
  return () => {
    let counts: Int32Array | undefined;
    return (window, column) => {
      if (window.series.histograms.length > 0) {
        const all = samplesOf(window);
        const count = all.filter((now, i) => {
          const before = all[i - 1];
          return before !== undefined && happened(now, before);
        }).length;
        return setFloat(column, window.step, count);
      }
      counts ??= runningCounts(window.series.values, ofFloats);
      setFloat(column, window.step, (counts[window.until - 1] ?? 0) - (counts[window.begin] ?? 0));
    };
  };
}

/** How many events there were up to each sample. */
function runningCounts(values: Float64Array, happened: (now: number, before: number) => boolean): Int32Array {
  const counts = new Int32Array(values.length);
  for (let i = 1; i < values.length; i++)
    counts[i] = (counts[i - 1] ?? 0) + (happened(values[i] ?? 0, values[i - 1] ?? 0) ? 1 : 0);
  return counts;
}

function samplesOf({ series, begin, until, histogramBegin, histogramUntil }: RangeWindow): Compared[] {
  const all: (Compared & { readonly time: number })[] = [];
  for (let i = begin; i < until; i++)
    all.push({ time: series.times[i] ?? 0, value: series.values[i] ?? 0, histogram: undefined });
  for (let i = histogramBegin; i < histogramUntil; i++)
    all.push({ time: series.histogramTimes[i] ?? 0, value: Number.NaN, histogram: series.histograms[i] });
  return all.sort((a, b) => a.time - b.time);
}

export const resets = events((now, before) => now < before, isReset);
export const changes = events(
  (now, before) => now !== before && !(Number.isNaN(now) && Number.isNaN(before)),
  (now, before) => !isEqual(now, before),
);
