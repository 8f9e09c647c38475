import type { RangeAggregate } from './logql/ast.ts';
import type { Grid } from './parameter-rules.ts';

/** Samples of a series, in the order of their times. */
export interface Samples {
  readonly times: readonly bigint[];
  readonly values: readonly number[];
}

/**
 * The value of a function at each step, over the samples of `(t - range, t]`; undefined where there are none. As Loki's
 * `pkg/logql/range_vector.go`.
 */
export function overRanges(
  { op, rangeNs, offsetNs, parameter }: Pick<RangeAggregate, 'op' | 'rangeNs' | 'offsetNs' | 'parameter'>,
  { times, values }: Samples,
  { startNs, stepNs, count }: Grid,
): (number | undefined)[] {
  const results: (number | undefined)[] = [];
  const seconds = Number(rangeNs) / 1e9;
  let [from, to] = [0, 0];
  for (let step = 0; step < count; step++) {
    const t = startNs + BigInt(step) * stepNs - offsetNs;
    while (to < times.length && (times[to] ?? 0n) <= t) to++;
    while (from < to && (times[from] ?? 0n) <= t - rangeNs) from++;
    results.push(from === to ? undefined : resultOf(op, values.slice(from, to), seconds, parameter ?? 0));
  }
  return results;
}

function resultOf(op: RangeAggregate['op'], values: readonly number[], seconds: number, parameter: number): number {
  switch (op) {
    case 'count_over_time':
      return values.length;
    case 'bytes_over_time':
    case 'sum_over_time':
      return sumOf(values);
    case 'rate':
    case 'bytes_rate':
      return sumOf(values) / seconds;
    case 'avg_over_time':
      return sumOf(values) / values.length;
    case 'min_over_time':
      return values.reduce((least, value) => (value < least || Number.isNaN(least) ? value : least));
    case 'max_over_time':
      return values.reduce((most, value) => (value > most || Number.isNaN(most) ? value : most));
    case 'first_over_time':
      return values[0] ?? Number.NaN;
    case 'last_over_time':
      return values.at(-1) ?? Number.NaN;
    case 'stdvar_over_time':
      return varianceOf(values);
    case 'stddev_over_time':
      return Math.sqrt(varianceOf(values));
    case 'quantile_over_time':
      return quantileOf(values, parameter);
    case 'absent_over_time':
    case 'rate_counter':
      return 1;
  }
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

function varianceOf(values: readonly number[]): number {
  const mean = sumOf(values) / values.length;
  return sumOf(values.map((value) => (value - mean) ** 2)) / values.length;
}

/** Interpolated between the two nearest values. */
function quantileOf(values: readonly number[], q: number): number {
  if (q < 0) return -Infinity;
  if (q > 1) return Infinity;
  const sorted = values.toSorted((a, b) => a - b);
  const rank = q * (sorted.length - 1);
  const [low, high] = [Math.max(0, Math.floor(rank)), Math.min(sorted.length - 1, Math.floor(rank) + 1)];
  const weight = rank - Math.floor(rank);
  return (sorted[low] ?? 0) * (1 - weight) + (sorted[high] ?? 0) * weight;
}
