import { ABSENT, type Column, FLOAT, merged } from './columns.ts';
import { type Grid, timeOf } from './grid.ts';
import type { NativeHistogram } from './histogram/native-histogram.ts';
import { compareLabels, type LabelSet, type LabelSets } from './label-sets.ts';
import type { RangeSeries } from './ranges.ts';
import type { SampleSeries } from './samples.ts';
import { LABEL_UNITS, type Work } from './work.ts';

/** Removes the names that no longer fit. */
export async function named(columns: readonly Column[], sets: LabelSets, work: Work): Promise<readonly Column[]> {
  const changed = await work.map(columns, LABEL_UNITS, (column) =>
    column.dropsName ? { ...column, labels: sets.nameless(column.labels), dropsName: false } : column,
  );
  return merged(changed);
}

/** Columns as series with one sample for each step that has a value, in the order of their labels. */
export async function seriesOf(columns: readonly Column[], grid: Grid, work: Work): Promise<SampleSeries[]> {
  const times = new Float64Array(grid.count);
  for (let step = 0; step < grid.count; step++) times[step] = timeOf(grid, step);
  return work.map(sorted(columns), grid.count, (column) => oneSeries(column, times));
}

/** Complete series share their times. */
function oneSeries({ labels, kinds, values, histograms }: Column, times: Float64Array): SampleSeries {
  if (histograms === undefined && !kinds.includes(ABSENT)) return { labels: labels.labels, times, values };
  let count = 0;
  for (const kind of kinds) if (kind !== ABSENT) count++;
  const kept = { times: new Float64Array(count), values: new Float64Array(count) };
  const keptHistograms: (NativeHistogram | undefined)[] = [];
  let at = 0;
  for (let step = 0; step < kinds.length; step++) {
    if (kinds[step] === ABSENT) continue;
    kept.times[at] = times[step] ?? 0;
    kept.values[at] = kinds[step] === FLOAT ? (values[step] ?? 0) : Number.NaN;
    if (histograms !== undefined) keptHistograms.push(kinds[step] === FLOAT ? undefined : histograms[step]);
    at++;
  }
  return { labels: labels.labels, ...kept, ...(histograms && { histograms: keptHistograms }) };
}

interface Point {
  readonly time: number;
  readonly value: number;
  readonly histogram: NativeHistogram | undefined;
}

/** The samples within a range, in the order of the labels. */
export function samplesOf(
  series: readonly RangeSeries[],
  { start, end }: { readonly start: number; readonly end: number },
): SampleSeries[] {
  const isIn = ({ time }: Point) => time > start && time <= end;
  return sorted(series).flatMap(({ labels, times, values, histogramTimes, histograms }) => {
    const floats = Array.from(times, (time, i): Point => ({ time, value: values[i] ?? 0, histogram: undefined }));
    const others = Array.from(
      histogramTimes,
      (time, i): Point => ({ time, value: Number.NaN, histogram: histograms[i] }),
    );
    const points = [...floats, ...others].filter(isIn).sort((a, b) => a.time - b.time);
    if (points.length === 0) return [];
    return [
      {
        labels: labels.labels,
        times: Float64Array.from(points, ({ time }) => time),
        values: Float64Array.from(points, ({ value }) => value),
        ...(others.length > 0 && { histograms: points.map(({ histogram }) => histogram) }),
      },
    ];
  });
}

export function sorted<T extends { readonly labels: LabelSet }>(all: readonly T[]): T[] {
  return [...all].sort((a, b) => compareLabels(a.labels, b.labels));
}
