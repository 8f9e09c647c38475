import type { Steps } from '../../../platform/steps.ts';
import type { RangeAggregate } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import type { Grid } from './parameter-rules.ts';

/** Samples of a series, in the order of their times. */
export interface Samples {
  /** Unix nanoseconds. */
  readonly times: BigInt64Array;
  readonly values: Float64Array;
}

/** Values that all steps of a series may read together, as each of them reads its whole range. */
const mostReads = 20_000_000;

/**
 * The value of a function at each step, over the samples of `(t - range, t]`; undefined where there are none. As Loki's
 * `pkg/logql/range_vector.go`.
 *
 * @throws LogqlError if the steps together read too many samples
 */
export function* overRanges(
  aggregate: Pick<RangeAggregate, 'op' | 'rangeNs' | 'offsetNs' | 'parameter' | 'unwrap'>,
  { times, values }: Samples,
  { startNs, stepNs, count }: Grid,
): Steps<(number | undefined)[]> {
  const { op, rangeNs, offsetNs, parameter = 0, unwrap } = aggregate;
  const results: (number | undefined)[] = [];
  const seconds = Number(rangeNs) / 1e9;
  // Counts of lines and bytes are whole numbers, so differences of running sums are exact.
  const sums = unwrap === undefined ? runningSums(values) : undefined;
  let [from, to, reads] = [0, 0, 0];
  for (let step = 0; step < count; step++) {
    const t = startNs + BigInt(step) * stepNs - offsetNs;
    while (to < times.length && (times[to] ?? 0n) <= t) to++;
    while (from < to && (times[from] ?? 0n) <= t - rangeNs) from++;
    if (from === to) results.push(undefined);
    else if (sums !== undefined) results.push(counted(op, (sums[to] ?? 0) - (sums[from] ?? 0), seconds));
    else {
      reads += to - from;
      if (reads > mostReads)
        throw new LogqlError(
          `the ranges of all steps have more than ${mostReads} values of a series: choose a longer step or a shorter range`,
        );
      results.push(resultOf(op, values.subarray(from, to), seconds, parameter));
    }
    yield;
  }
  return results;
}

function runningSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [i, value] of values.entries()) sums[i + 1] = (sums[i] ?? 0) + value;
  return sums;
}

function counted(op: RangeAggregate['op'], sum: number, seconds: number): number {
  if (op === 'absent_over_time') return 1;
  return op === 'rate' || op === 'bytes_rate' ? sum / seconds : sum;
}

function resultOf(op: RangeAggregate['op'], values: Float64Array, seconds: number, parameter: number): number {
  switch (op) {
    case 'sum_over_time':
      return sumOf(values);
    case 'rate':
      return sumOf(values) / seconds;
    case 'rate_counter':
      return increaseOf(values) / seconds;
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
      return 1;
    default:
      throw new LogqlError(`${op} is not supported with unwrap`);
  }
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * By how much a counter has grown, which starts again from 0 where it falls. Loki also adds a millionth of the range to the time between the
 * first and the last value, which its `extrapolatedRate` takes in another unit: the results differ by less than that.
 */
function increaseOf(values: Float64Array): number {
  return values.reduce((sum, value, at) => {
    const before = values[at - 1];
    if (before === undefined) return 0;
    return sum + (value < before ? value : value - before);
  }, 0);
}

function varianceOf(values: Float64Array): number {
  const mean = sumOf(values) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

/** Interpolated between the two nearest values. */
function quantileOf(values: Float64Array, q: number): number {
  if (q < 0) return -Infinity;
  if (q > 1) return Infinity;
  const sorted = values.toSorted();
  const rank = q * (sorted.length - 1);
  const [low, high] = [Math.max(0, Math.floor(rank)), Math.min(sorted.length - 1, Math.floor(rank) + 1)];
  const weight = rank - Math.floor(rank);
  return (sorted[low] ?? 0) * (1 - weight) + (sorted[high] ?? 0) * weight;
}
