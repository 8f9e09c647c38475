import { type Column, columnOf, setFloat, setHistogram } from './columns.ts';
import { type Grid, timeOf } from './grid.ts';
import type { NativeHistogram } from './histogram/native-histogram.ts';
import type { LabelSet } from './label-sets.ts';
import { bitsOf, isStale } from './samples.ts';

/** The samples of a series within the window of a selector. */
export interface Series {
  readonly labels: LabelSet;
  /** Of sub-queries: see {@link Column.dropsName}. */
  readonly dropsName: boolean;
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly histograms: readonly (NativeHistogram | undefined)[] | undefined;
}

/** How each step looks back. */
export interface Lookback {
  readonly grid: Grid;
  /** The moment that a step looks back from. */
  readonly momentOf: (time: number) => number;
  readonly lookback: number;
}

/**
 * The value of a series at each step: the last sample of `(moment - lookback, moment]`, unless that is a staleness marker. With `'times'`, the seconds of
 * that sample instead of its value.
 */
export function instantColumn(series: Series, { grid, momentOf, lookback }: Lookback, of: 'values' | 'times'): Column {
  const { times, values, histograms } = series;
  const column = columnOf(series.labels, series.dropsName, grid.count);
  const bits = bitsOf(values);
  let next = 0;
  for (let step = 0; step < grid.count; step++) {
    const moment = momentOf(timeOf(grid, step));
    // With @, moments do not rise, and need not begin again.
    while (next < times.length && (times[next] ?? 0) <= moment) next++;
    const last = next - 1;
    if (last < 0 || (times[last] ?? 0) <= moment - lookback || isStale(bits, last)) continue;
    const histogram = histograms?.[last];
    if (of === 'times') setFloat(column, step, (times[last] ?? 0) / 1_000);
    else if (histogram === undefined) setFloat(column, step, values[last] ?? 0);
    else setHistogram(column, step, histogram);
  }
  return column;
}
