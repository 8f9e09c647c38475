import { setFloat } from '../columns.ts';
import { CompensatedSum } from '../numbers.ts';
import type { RangeWindow } from '../ranges.ts';
import { ignoreHistograms, type RangeContext, type RangeFunctionMaker } from './range-function.ts';

/** The slope per second of the line through the floats of a range. */
export const deriv: RangeFunctionMaker = (context) => (window, column) => {
  if (!hasLine(context, window)) return;
  // Near the samples, so that little is rounded.
  const { slope } = line(window, window.series.times[window.begin] ?? 0);
  setFloat(column, window.step, slope);
};

/** Where that line is some seconds after the time of evaluation. */
export const predictLinear: RangeFunctionMaker = (context) => (window, column) => {
  if (!hasLine(context, window)) return;
  const { slope, intercept } = line(window, window.time);
  setFloat(column, window.step, slope * (context.scalars[0]?.[window.step] ?? Number.NaN) + intercept);
};

function hasLine(context: RangeContext, window: RangeWindow): boolean {
  if (window.floats > 0) ignoreHistograms(context, window);
  return window.floats >= 2;
}

/** Least squares, compensated: Prometheus' `linearRegression`. */
function line(
  { series: { times, values }, begin, until }: RangeWindow,
  origin: number,
): { readonly slope: number; readonly intercept: number } {
  const [x, y, xy, xx] = [new CompensatedSum(), new CompensatedSum(), new CompensatedSum(), new CompensatedSum()];
  const first = values[begin] ?? 0;
  let isConstant = true;
  for (let i = begin; i < until; i++) {
    const [seconds, value] = [((times[i] ?? 0) - origin) / 1_000, values[i] ?? 0];
    if (value !== first && i > begin) isConstant = false;
    x.add(seconds);
    y.add(value);
    xy.add(seconds * value);
    xx.add(seconds * seconds);
  }
  if (isConstant)
    return Math.abs(first) === Number.POSITIVE_INFINITY
      ? { slope: Number.NaN, intercept: Number.NaN }
      : { slope: 0, intercept: first };
  const count = until - begin;
  const covariance = xy.sum - (x.sum * y.sum) / count;
  const variance = xx.sum - (x.sum * x.sum) / count;
  const slope = covariance / variance;
  return { slope, intercept: y.sum / count - (slope * x.sum) / count };
}
