import { ABSENT, type Column, merged } from './columns.ts';
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
  return work.map(sorted(columns), grid.count, ({ labels, kinds, values, histograms }) => {
    const steps: number[] = [];
    kinds.forEach((kind, step) => {
      if (kind !== ABSENT) steps.push(step);
    });
    return {
      labels: labels.labels,
      times: Float64Array.from(steps, (step) => timeOf(grid, step)),
      values: Float64Array.from(steps, (step) => (histograms?.[step] === undefined ? (values[step] ?? 0) : Number.NaN)),
      ...(histograms && { histograms: steps.map((step) => histograms[step]) }),
    };
  });
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
