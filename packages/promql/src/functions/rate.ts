import { setFloat, setHistogram } from '../columns.ts';
import { add, divide, multiply, subtract } from '../histogram/arithmetic.ts';
import { usesCustomBuckets } from '../histogram/bounds.ts';
import { NO_BUCKETS } from '../histogram/buckets.ts';
import type { NativeHistogram } from '../histogram/native-histogram.ts';
import { inSchema } from '../histogram/reconcile.ts';
import { isReset } from '../histogram/reset.ts';
import { metricOf } from '../label-sets.ts';
import type { RangeWindow } from '../ranges.ts';
import { notMixed, type RangeContext, type RangeFunctionMaker } from './range-function.ts';

export type Growth = 'rate' | 'increase' | 'delta';

/**
 * How much a series grew over each range, extrapolated to the edges of the range: Prometheus' `extrapolatedRate` (`promql/functions.go`). Of the
 * growth of counters, `rate` is per second.
 */
export function growth(of: Growth): RangeFunctionMaker {
  return (context) => {
    let resets: Resets | undefined;
    return (window, column) => {
      if (!notMixed(context, window)) return;
      if (window.histograms >= 2) {
        const grown = histogramGrowth(window, of, context);
        if (grown === undefined) return;
        const first = window.series.histograms[window.histogramBegin]?.count ?? 0;
        const factor = context.anchorMs > 0 ? 1 : extrapolation(window, of, context.rangeMs, first, grown.count);
        setHistogram(column, window.step, multiply(grown, factor));
        return;
      }
      // The first sample of a series is no growth, but it is there.
      if (window.floats < 2 && context.anchorMs === 0) return;
      const { values } = window.series;
      const first = values[window.begin] ?? 0;
      let grown = (values[window.until - 1] ?? 0) - first;
      if (of !== 'delta') {
        resets ??= new Resets(values);
        grown = resets.addLost(grown, window);
      }
      const factor = context.anchorMs > 0 ? 1 : extrapolation(window, of, context.rangeMs, first, grown);
      setFloat(column, window.step, grown * factor);
    };
  };
}

/** The samples after which a counter fell, found once for a series. */
class Resets {
  readonly #values: Float64Array;
  readonly #before: Int32Array;
  #from = 0;

  constructor(values: Float64Array) {
    const before: number[] = [];
    for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) < (values[i - 1] ?? 0)) before.push(i - 1);
    this.#values = values;
    this.#before = Int32Array.from(before);
  }

  /** Adds what the counter had before each reset of a window, in their order. */
  addLost(grown: number, { begin, until }: RangeWindow): number {
    while (this.#from < this.#before.length && (this.#before[this.#from] ?? 0) < begin) this.#from++;
    let sum = grown;
    for (let i = this.#from; i < this.#before.length; i++) {
      const index = this.#before[i] ?? 0;
      if (index >= until - 1) break;
      sum += this.#values[index] ?? 0;
    }
    return sum;
  }
}

/** By what growth between the first and last sample is multiplied. Times are in seconds, as in Prometheus, which decides what is rounded. */
function extrapolation(window: RangeWindow, of: Growth, rangeMs: number, first: number, grown: number): number {
  const ofFloats = window.until > window.begin;
  const times = ofFloats ? window.series.times : window.series.histogramTimes;
  const begin = ofFloats ? window.begin : window.histogramBegin;
  const last = (ofFloats ? window.until : window.histogramUntil) - 1;
  const firstTime = times[begin] ?? 0;
  const lastTime = times[last] ?? 0;
  const covered = (lastTime - firstTime) / 1_000;
  const distance = covered / (last - begin);
  let toStart = (firstTime - window.start) / 1_000;
  if (toStart >= distance * 1.1) toStart = distance / 2;
  if (of !== 'delta' && grown > 0 && first >= 0) {
    const toZero = covered * (first / grown);
    if (toZero < toStart) toStart = toZero;
  }
  let toEnd = (window.end - lastTime) / 1_000;
  if (toEnd >= distance * 1.1) toEnd = distance / 2;
  const factor = (covered + toStart + toEnd) / covered;
  return of === 'rate' ? factor / (rangeMs / 1_000) : factor;
}

/** The growth of histograms from the first to the last sample, with what resets lost. Undefined where their buckets do not fit. */
function histogramGrowth(window: RangeWindow, of: Growth, context: RangeContext): NativeHistogram | undefined {
  const { notes, at } = context;
  const metric = metricOf(window.series.labels);
  const points = window.series.histograms.slice(window.histogramBegin, window.histogramUntil);
  const [first, second] = points;
  const last = points.at(-1);
  if (first === undefined || second === undefined || last === undefined) return undefined;
  const isCounter = of !== 'delta';
  if (isCounter && points.some(({ counterReset }) => counterReset === 'gauge')) notes.notCounter(metric, at);
  if (!isCounter && (first.counterReset !== 'gauge' || last.counterReset !== 'gauge')) notes.notGauge(metric, at);
  // What was before a reset does not matter, and neither do its buckets.
  const previous = isCounter && isReset(second, first) ? emptyLike(second) : first;
  const looked = isCounter ? points.slice(1) : [last];
  if (looked.some((point) => usesCustomBuckets(point) !== usesCustomBuckets(previous))) {
    notes.mixedSchemas(metric, at);
    return undefined;
  }
  const schema = Math.min(previous.schema, ...looked.map((point) => point.schema));
  const difference = subtract(inSchema(last, schema), previous);
  if (difference === undefined) return undefined;
  if (difference.changedBounds) notes.changedBounds('subtraction', at);
  let grown = difference.histogram;
  let before = previous;
  for (const point of isCounter ? looked : []) {
    if (isReset(point, before)) {
      const sum = add(grown, before);
      if (sum === undefined) return undefined;
      if (sum.changedBounds) notes.changedBounds('addition', at);
      grown = sum.histogram;
    }
    before = point;
  }
  return { ...grown, counterReset: 'gauge' };
}

function emptyLike({ schema, customValues }: NativeHistogram): NativeHistogram {
  return {
    schema,
    ...(customValues && { customValues }),
    counterReset: 'unknown',
    count: 0,
    sum: 0,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: NO_BUCKETS,
    negative: NO_BUCKETS,
  };
}

interface Last {
  readonly time: number;
  readonly value: number;
  readonly histogram?: NativeHistogram;
}

/** The growth between the last two samples: `irate` of counters per second, `idelta` of gauges. */
export function lastGrowth(of: 'irate' | 'idelta'): RangeFunctionMaker {
  return (context) => (window, column) => {
    if (window.floats + window.histograms < 2) return;
    if (window.histograms === 0) {
      const { times, values } = window.series;
      const [before, last] = [window.until - 2, window.until - 1];
      const [from, to] = [values[before] ?? 0, values[last] ?? 0];
      const seconds = ((times[last] ?? 0) - (times[before] ?? 0)) / 1_000;
      if (seconds === 0) return;
      const grown = of === 'irate' && to < from ? to : to - from;
      setFloat(column, window.step, of === 'irate' ? grown / seconds : grown);
      return;
    }
    const [before, last] = lastTwo(window);
    if (before === undefined || last === undefined) return;
    const metric = metricOf(window.series.labels);
    if (before.histogram === undefined || last.histogram === undefined) {
      if (before.histogram !== undefined || last.histogram !== undefined)
        context.notes.mixedRange(metric, context.atArguments);
      else {
        const grown = of === 'irate' && last.value < before.value ? last.value : last.value - before.value;
        setFloat(column, window.step, of === 'irate' ? grown / ((last.time - before.time) / 1_000) : grown);
      }
      return;
    }
    const grown = histogramChange(before.histogram, last.histogram, of, metric, context);
    if (grown === undefined) return;
    const seconds = (last.time - before.time) / 1_000;
    setHistogram(column, window.step, of === 'irate' ? divide(grown, seconds) : grown);
  };
}

function histogramChange(
  before: NativeHistogram,
  last: NativeHistogram,
  of: 'irate' | 'idelta',
  metric: string,
  { notes, atArguments }: RangeContext,
): NativeHistogram | undefined {
  const gauges = [before, last].filter(({ counterReset }) => counterReset === 'gauge').length;
  if (of === 'irate' && gauges > 0) notes.notCounter(metric, atArguments);
  if (of === 'idelta' && gauges < 2) notes.notGauge(metric, atArguments);
  if (of === 'irate' && isReset(last, before)) return { ...last, counterReset: 'gauge' };
  const difference = subtract(last, before);
  if (difference === undefined) {
    notes.mixedSchemas(metric, atArguments);
    return undefined;
  }
  if (difference.changedBounds) notes.changedBounds('subtraction', atArguments);
  return { ...difference.histogram, counterReset: 'gauge' };
}

/** The last two samples of a range with histograms. */
function lastTwo(window: RangeWindow): Last[] {
  const { times, values, histogramTimes, histograms } = window.series;
  const all: Last[] = [];
  for (let i = Math.max(window.begin, window.until - 2); i < window.until; i++)
    all.push({ time: times[i] ?? 0, value: values[i] ?? 0 });
  for (let i = Math.max(window.histogramBegin, window.histogramUntil - 2); i < window.histogramUntil; i++) {
    const histogram = histograms[i];
    all.push({ time: histogramTimes[i] ?? 0, value: Number.NaN, ...(histogram && { histogram }) });
  }
  return all.sort((a, b) => a.time - b.time).slice(-2);
}
