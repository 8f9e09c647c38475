import { ABSENT, type Column, FLOAT } from './columns.ts';
import { type Grid, timeOf } from './grid.ts';
import type { NativeHistogram } from './histogram/native-histogram.ts';
import type { LabelSet } from './label-sets.ts';
import { bitsOf, isStale } from './samples.ts';
import type { Series } from './select.ts';

/** The samples of a series for functions of ranges: floats and histograms apart, without staleness markers. */
export interface RangeSeries {
  readonly labels: LabelSet;
  readonly dropsName: boolean;
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly histogramTimes: Float64Array;
  readonly histograms: readonly NativeHistogram[];
}

const NO_TIMES = new Float64Array(0);

export function rangeSeriesOf(series: Series): RangeSeries {
  const { labels, dropsName, times, values, histograms } = series;
  const bits = bitsOf(values);
  let isPlain = histograms === undefined;
  for (let i = 0; isPlain && i < times.length; i++) isPlain = !isStale(bits, i);
  if (isPlain) return { labels, dropsName, times, values, histogramTimes: NO_TIMES, histograms: [] };
  const kept: number[] = [];
  const ofHistograms: number[] = [];
  for (let i = 0; i < times.length; i++)
    if (!isStale(bits, i)) (histograms?.[i] === undefined ? kept : ofHistograms).push(i);
  return {
    labels,
    dropsName,
    times: Float64Array.from(kept, (i) => times[i] ?? 0),
    values: Float64Array.from(kept, (i) => values[i] ?? 0),
    histogramTimes: Float64Array.from(ofHistograms, (i) => times[i] ?? 0),
    histograms: ofHistograms.flatMap((i) => histograms?.[i] ?? []),
  };
}

/** The values of a sub-query as samples. */
export function rangeSeriesOfColumn(column: Column, grid: Grid): RangeSeries {
  const floats: number[] = [];
  const histograms: number[] = [];
  column.kinds.forEach((kind, step) => {
    if (kind !== ABSENT) (kind === FLOAT ? floats : histograms).push(step);
  });
  return {
    labels: column.labels,
    dropsName: column.dropsName,
    times: Float64Array.from(floats, (step) => timeOf(grid, step)),
    values: Float64Array.from(floats, (step) => column.values[step] ?? 0),
    histogramTimes: Float64Array.from(histograms, (step) => timeOf(grid, step)),
    histograms: histograms.flatMap((step) => column.histograms?.[step] ?? []).map(withoutReset),
  };
}

/** Between the steps of a sub-query there may have been other samples. */
function withoutReset(histogram: NativeHistogram): NativeHistogram {
  return histogram.counterReset === 'gauge' ? histogram : { ...histogram, counterReset: 'unknown' };
}

/** The range of a series at one step. One object is moved over all of them. */
export class RangeWindow {
  readonly series: RangeSeries;
  /** The range is `(start, end]`, in milliseconds. */
  start = 0;
  end = 0;
  /** The time of the step. */
  time = 0;
  step = 0;
  /** Floats of the range: from `begin` up to `until`, exclusive. */
  begin = 0;
  until = 0;
  histogramBegin = 0;
  histogramUntil = 0;
  readonly #anchorMs: number;

  /** @param anchorMs how long before its start a range with samples may begin with one more */
  constructor(series: RangeSeries, anchorMs = 0) {
    this.series = series;
    this.#anchorMs = anchorMs;
  }

  /** Moves forward to a later range, or to the same one. */
  moveTo(step: number, time: number, start: number, end: number): void {
    this.step = step;
    this.time = time;
    this.start = start;
    this.end = end;
    const { times, histogramTimes } = this.series;
    this.until = indexAfter(times, this.until, end);
    this.begin = this.#anchored(times, indexAfter(times, this.begin, start), this.until);
    if (histogramTimes.length === 0) return;
    this.histogramUntil = indexAfter(histogramTimes, this.histogramUntil, end);
    const first = indexAfter(histogramTimes, this.histogramBegin, start);
    this.histogramBegin = this.#anchored(histogramTimes, first, this.histogramUntil);
  }

  #anchored(times: Float64Array, first: number, until: number): number {
    const isNear = first > 0 && (times[first - 1] ?? 0) > this.start - this.#anchorMs;
    return this.#anchorMs > 0 && isNear && first < until ? first - 1 : first;
  }

  get floats(): number {
    return this.until - this.begin;
  }

  get histograms(): number {
    return this.histogramUntil - this.histogramBegin;
  }
}

function indexAfter(times: Float64Array, from: number, time: number): number {
  let index = from;
  while (index < times.length && (times[index] ?? 0) <= time) index++;
  return index;
}
