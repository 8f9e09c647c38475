import type { Annotations } from '../annotations.ts';
import type { Position } from '../ast.ts';
import { type Column, columnOf, FLOAT, setFloat } from '../columns.ts';
import { PromqlError } from '../error.ts';
import { quantileOf } from '../functions/quantile.ts';
import { shortText } from '../numbers.ts';
import type { Work } from '../work.ts';
import type { Group } from './groups.ts';

/** The quantile of the floats of each step. */
export function quantileInto({ columns }: Group, out: Column, quantiles: Float64Array): void {
  const buffer = new Float64Array(columns.length);
  for (let step = 0; step < quantiles.length; step++) {
    let count = 0;
    for (const { kinds, values } of columns) if (kinds[step] === FLOAT) buffer[count++] = values[step] ?? 0;
    if (count > 0) setFloat(out, step, quantileOf(quantiles[step] ?? Number.NaN, buffer.subarray(0, count)));
  }
}

export function checkQuantiles(quantiles: Float64Array, notes: Annotations, at: Position): void {
  const nan = quantiles.find((one) => Number.isNaN(one));
  if (nan !== undefined) notes.invalidQuantile(nan, at);
  const [least, largest] = [smallest(quantiles), -smallest(quantiles.map((one) => -one))];
  if (largest > 1) notes.invalidQuantile(largest, at);
  if (least < 0) notes.invalidQuantile(least, at);
}

function smallest(numbers: Float64Array): number {
  return numbers.reduce((least, one) => (one < least ? one : least), Number.POSITIVE_INFINITY);
}

/**
 * `topk` and `bottomk`: the series with the largest or least floats of each step, NaN last. The columns of a group are in the order of the first step that has
 * them, which is the order of an instant query.
 */
export async function ranked(
  groups: readonly Group[],
  ks: Float64Array,
  of: 'topk' | 'bottomk',
  work: Work,
): Promise<Column[]> {
  for (const k of ks) checkCount(k);
  const results: Column[] = [];
  for (const { columns } of groups) {
    const kept = new Map<Column, Column>();
    for (let step = 0; step < ks.length; step++) {
      keepAt(columns, step, { k: Math.trunc(ks[step] ?? 0), of, steps: ks.length }, kept);
      if (work.isDue(columns.length)) await work.pause();
    }
    results.push(...kept.values());
  }
  return results;
}

interface Rank {
  readonly k: number;
  readonly of: 'topk' | 'bottomk';
  readonly steps: number;
}

function keepAt(columns: readonly Column[], step: number, { k, of, steps }: Rank, kept: Map<Column, Column>): void {
  if (k < 1) return;
  for (const column of bestAt(columns, step, k, of === 'topk' ? isLarger : isSmaller)) {
    let out = kept.get(column);
    if (out === undefined) {
      out = columnOf(column.labels, column.dropsName, steps);
      kept.set(column, out);
    }
    setFloat(out, step, column.values[step] ?? 0);
  }
}

const isLarger = (a: number, b: number) => a > b || (Number.isNaN(b) && !Number.isNaN(a));
const isSmaller = (a: number, b: number) => a < b || (Number.isNaN(b) && !Number.isNaN(a));

/** Above it, sorting all is cheaper than inserting each. */
const MOST_INSERTED = 64;

/** The best columns of a step, from the best; of equal ones, the first. */
function bestAt(
  columns: readonly Column[],
  step: number,
  k: number,
  isBetter: (a: number, b: number) => boolean,
): Column[] {
  const valueAt = (column: Column | undefined) => column?.values[step] ?? 0;
  if (k > MOST_INSERTED) {
    const present = columns.filter(({ kinds }) => kinds[step] === FLOAT);
    const order = (one: Column, other: Column) => {
      const [a, b] = [valueAt(one), valueAt(other)];
      return isBetter(a, b) ? -1 : isBetter(b, a) ? 1 : 0;
    };
    return present.sort(order).slice(0, k);
  }
  const best: Column[] = [];
  for (const column of columns) {
    if (column.kinds[step] !== FLOAT) continue;
    const value = valueAt(column);
    if (best.length === k && !isBetter(value, valueAt(best[k - 1]))) continue;
    let place = best.length === k ? k - 1 : best.length;
    while (place > 0 && isBetter(value, valueAt(best[place - 1]))) {
      const worse = best[place - 1];
      if (worse !== undefined) best[place] = worse;
      place--;
    }
    best[place] = column;
  }
  return best;
}

function checkCount(k: number): void {
  if (Number.isNaN(k)) throw new PromqlError('execution', 'Parameter value is NaN');
  if (k <= -(2 ** 63)) throw new PromqlError('execution', `Scalar value ${shortText(k)} underflows int64`);
  if (k >= 2 ** 63) throw new PromqlError('execution', `Scalar value ${shortText(k)} overflows int64`);
}
