import type { Annotations } from '../annotations.ts';
import type { Position } from '../ast.ts';
import { ABSENT, type Column, FLOAT, setFloat, setHistogram } from '../columns.ts';
import { Average } from '../functions/average.ts';
import { HistogramSum } from '../histogram/sum.ts';
import { metricOf } from '../label-sets.ts';
import type { Group } from './groups.ts';

/** Adds the series of a group up, column by column. */
export function sumInto({ columns }: Group, out: Column, of: 'sum' | 'avg', notes: Annotations, at: Position): void {
  const steps = out.kinds.length;
  const counts = new Uint32Array(steps);
  const histograms = columns.some((column) => column.histograms !== undefined)
    ? histogramSums(columns, steps, of, notes, at)
    : [];
  if (of === 'sum') plainSums(columns, counts, out);
  else averages(columns, counts, out);
  for (let step = 0; step < histograms.length; step++) {
    const sum = histograms[step];
    if (sum === undefined) continue;
    if ((counts[step] ?? 0) > 0) {
      notes.mixedAggregation(at);
      out.kinds[step] = ABSENT;
    } else if (sum !== 'incompatible') setHistogram(out, step, sum.result);
  }
}

/** Compensated sums; all of a step are added in the order of the series. */
function plainSums(columns: readonly Column[], counts: Uint32Array, out: Column): void {
  const rests = new Float64Array(counts.length);
  for (const { kinds, values } of columns)
    for (let step = 0; step < counts.length; step++) {
      if (kinds[step] !== FLOAT) continue;
      const value = values[step] ?? 0;
      const count = counts[step] ?? 0;
      counts[step] = count + 1;
      if (count === 0) {
        setFloat(out, step, value);
        continue;
      }
      const before = out.values[step] ?? 0;
      const total = before + value;
      if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) rests[step] = 0;
      else
        rests[step] =
          (rests[step] ?? 0) + (Math.abs(before) >= Math.abs(value) ? before - total + value : value - total + before);
      out.values[step] = total;
    }
  for (let step = 0; step < counts.length; step++) out.values[step] = (out.values[step] ?? 0) + (rests[step] ?? 0);
}

function averages(columns: readonly Column[], counts: Uint32Array, out: Column): void {
  for (let step = 0; step < counts.length; step++) {
    const average = new Average();
    for (const { kinds, values } of columns) {
      if (kinds[step] !== FLOAT) continue;
      average.add(values[step] ?? 0);
      counts[step] = (counts[step] ?? 0) + 1;
    }
    if ((counts[step] ?? 0) > 0) setFloat(out, step, average.value);
  }
}

type Sums = (HistogramSum | 'incompatible' | undefined)[];

function histogramSums(
  columns: readonly Column[],
  steps: number,
  of: 'sum' | 'avg',
  notes: Annotations,
  at: Position,
): Sums {
  const sums: Sums = [];
  for (const { histograms, labels } of columns)
    for (let step = 0; step < steps; step++) {
      const histogram = histograms?.[step];
      const sum = sums[step];
      if (histogram === undefined || sum === 'incompatible') continue;
      if (sum === undefined) sums[step] = new HistogramSum(histogram, of === 'sum' ? 'sum' : 'average');
      else if (!sum.add(histogram)) {
        sums[step] = 'incompatible';
        notes.mixedSchemas(metricOf(labels), at);
      }
    }
  for (const sum of sums) {
    if (sum === undefined || sum === 'incompatible') continue;
    if (sum.collision) notes.resetCollision('aggregation', at);
    if (sum.changedBounds) notes.changedBounds('aggregation', at);
  }
  return sums;
}
