import type { Annotations } from '../annotations.ts';
import type { Position } from '../ast.ts';
import { ABSENT, type Column, FLOAT, setFloat } from '../columns.ts';
import type { Group } from './groups.ts';

/** The least or largest float of each step; NaN only where there is nothing else. */
export function extremeInto({ columns }: Group, out: Column, of: 'min' | 'max'): void {
  for (const { kinds, values } of columns)
    for (let step = 0; step < kinds.length; step++) {
      if (kinds[step] !== FLOAT) continue;
      const [value, best] = [values[step] ?? 0, out.values[step] ?? 0];
      const isFirst = out.kinds[step] === ABSENT;
      if (isFirst || Number.isNaN(best) || (of === 'max' ? best < value : best > value)) setFloat(out, step, value);
    }
}

/** How many series have a value, or 1 where there are any. */
export function countInto({ columns }: Group, out: Column, of: 'count' | 'group'): void {
  for (const { kinds } of columns)
    for (let step = 0; step < kinds.length; step++)
      if (kinds[step] !== ABSENT) setFloat(out, step, of === 'group' ? 1 : (out.values[step] ?? 0) + 1);
}

/** Welford's variance. */
export function varianceInto({ columns }: Group, out: Column, of: 'stdvar' | 'stddev'): void {
  const steps = out.kinds.length;
  const [counts, means] = [new Uint32Array(steps), new Float64Array(steps)];
  for (const { kinds, values } of columns)
    for (let step = 0; step < steps; step++) {
      if (kinds[step] !== FLOAT) continue;
      const [value, mean] = [values[step] ?? 0, means[step] ?? 0];
      const count = (counts[step] ?? 0) + 1;
      counts[step] = count;
      if (count === 1) {
        means[step] = value;
        setFloat(out, step, Number.isFinite(value) ? 0 : Number.NaN);
        continue;
      }
      const next = mean + (value - mean) / count;
      means[step] = next;
      out.values[step] = (out.values[step] ?? 0) + (value - mean) * (value - next);
    }
  for (let step = 0; step < steps; step++) {
    const variance = (out.values[step] ?? 0) / (counts[step] ?? 0);
    out.values[step] = of === 'stdvar' ? variance : Math.sqrt(variance);
  }
}

/** Aggregations of floats say where they ignore histograms. */
export function reportHistograms({ columns }: Group, op: string, notes: Annotations, at: Position): void {
  if (columns.some(({ histograms }) => histograms?.some((one) => one !== undefined))) notes.ignoredHistogram(op, at);
}
