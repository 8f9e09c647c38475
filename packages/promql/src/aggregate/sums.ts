import type { Annotations } from '../annotations.ts';
import type { Position } from '../ast.ts';
import { ABSENT, type Column, FLOAT, setFloat, setHistogram } from '../columns.ts';
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
      addCompensated(out.values, rests, step, out.values[step] ?? 0, value);
    }
  for (let step = 0; step < counts.length; step++) out.values[step] = (out.values[step] ?? 0) + (rests[step] ?? 0);
}

/** Averages like those of `functions/average.ts`, of all steps at once. */
function averages(columns: readonly Column[], counts: Uint32Array, out: Column): void {
  const rests = new Float64Array(counts.length);
  const areMeans = new Uint8Array(counts.length);
  for (const { kinds, values } of columns)
    for (let step = 0; step < counts.length; step++) {
      if (kinds[step] !== FLOAT) continue;
      let value = values[step] ?? 0;
      const count = (counts[step] ?? 0) + 1;
      counts[step] = count;
      if (count === 1) {
        setFloat(out, step, value);
        continue;
      }
      let before = out.values[step] ?? 0;
      if (areMeans[step] === 0 && isInfinite(before + value)) {
        areMeans[step] = 1;
        before /= count - 1;
        rests[step] = (rests[step] ?? 0) / (count - 1);
      }
      if (areMeans[step] === 1) {
        const share = (count - 1) / count;
        before *= share;
        rests[step] = (rests[step] ?? 0) * share;
        value /= count;
      }
      addCompensated(out.values, rests, step, before, value);
    }
  for (let step = 0; step < counts.length; step++) {
    const count = areMeans[step] === 1 ? 1 : (counts[step] ?? 0);
    out.values[step] = (out.values[step] ?? 0) / count + (rests[step] ?? 0) / count;
  }
}

function isInfinite(value: number): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

function addCompensated(totals: Float64Array, rests: Float64Array, step: number, before: number, value: number): void {
  const total = before + value;
  if (isInfinite(total)) rests[step] = 0;
  else
    rests[step] =
      (rests[step] ?? 0) + (Math.abs(before) >= Math.abs(value) ? before - total + value : value - total + before);
  totals[step] = total;
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
