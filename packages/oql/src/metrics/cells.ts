import type { Context } from '../check/context.ts';
import type { Plan } from '../plan/plan.ts';
import { aggregate, column, integer, type Sql, sql } from '../sql/sql.ts';
import { type BucketsOf, exactly } from './buckets.ts';

/** What each point of a series counts, to be summed by time bucket. */
export interface Counted {
  readonly plan: Plan;
  readonly series: Sql;
  /** Arrays with an element for each point, times in nanoseconds and rising. */
  readonly times: Sql;
  readonly counts: Sql;
  readonly values: Sql;
  /** Points before this time are not counted. */
  readonly fromNs: bigint;
}

/** One row for each series and bucket with a point. */
export interface InBuckets {
  readonly plan: Plan;
  readonly series: Sql;
  readonly start: Sql;
  readonly value: Sql;
  /** The value of one of the points. */
  readonly own: Sql;
}

/**
 * Sums neighboring points of the same time cell within their array, and makes rows of cells only: there are fewer cells
 * than points. A bucket with a lookback longer than its width consists of several cells.
 */
export function inBuckets(counted: Counted, buckets: BucketsOf, ctx: Context): InBuckets {
  const isPoints = buckets.kind === 'each';
  const [cell, sums, indices] = [ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const placed: Plan = {
    op: 'extend',
    input: counted.plan,
    columns: [{ id: cell, value: sql`arrayMap(t -> ${cellOf(counted.fromNs, buckets)}, ${counted.times})` }],
  };
  const split = sql`arraySplit((x, y) -> y != 0, ${counted.counts}, arrayDifference(${column(cell)}))`;
  // Compute the arrays in a step before the rows: otherwise the columns they are made of would be copied with each row.
  const whole: Plan = {
    op: 'extend',
    input: placed,
    columns: [
      { id: sums, value: isPoints ? counted.counts : sql`arrayMap(c -> arraySum(c), ${split})` },
      { id: indices, value: isPoints ? column(cell) : sql`arrayCompact(${column(cell)})` },
    ],
    apart: true,
  };
  const arrays = [column(indices), column(sums), counted.values];
  const [index, value, own] = [ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const cells = [index, value, ...(isPoints ? [own] : [])].map((id, i) => ({ id, value: arrays[i] ?? column(cell) }));
  const plan: Plan = {
    op: 'filter',
    input: { op: 'unnest', input: whole, columns: cells },
    predicate: sql`(${column(index)} >= 0)`,
  };
  const found = { series: counted.series, value: column(value), own: column(isPoints ? own : value) };
  if (buckets.kind !== 'many') {
    const start = ctx.fresh();
    const columns = [{ id: start, value: startOf(column(index), buckets) }];
    return { ...found, plan: { op: 'extend', input: plan, columns }, start: column(start) };
  }
  return inSeveral(plan, found, buckets.starts(beginningOfCell(column(index), buckets)), ctx);
}

/** The number of the cell that a time `t` in nanoseconds is in; -1 before the range. */
export function cellOf(fromNs: bigint, buckets: BucketsOf): Sql {
  const isBefore = sql`t < ${integer(fromNs)}`;
  const index = (widthNs: bigint) => sql`intDiv(t, ${integer(widthNs)})`;
  switch (buckets.kind) {
    case 'whole':
      return sql`if(${isBefore}, -1, 0)`;
    case 'each':
      return sql`if(${isBefore}, -1, t)`;
    case 'one':
      return sql`if(${isBefore}, -1, ${index(buckets.stepNs)})`;
    case 'many': {
      const { cellNs, cutNs } = buckets;
      const isCut = cutNs === undefined ? undefined : sql`(t >= ${integer(cutNs)})`;
      // The parts of a cell before and after the cut have numbers of their own.
      return sql`if(${isBefore}, -1, ${isCut ? sql`${index(cellNs)} * 2 + ${isCut}` : index(cellNs)})`;
    }
  }
}

/** The first time of a cell that belongs to several buckets. */
export function beginningOfCell(index: Sql, { cellNs, cutNs }: Extract<BucketsOf, { readonly kind: 'many' }>): Sql {
  if (cutNs === undefined) return beginning(index, cellNs);
  const begin = beginning(sql`intDiv(${index}, 2)`, cellNs);
  return sql`if(${index} % 2 = 1, greatest(${begin}, ${exactly(cutNs)}), ${begin})`;
}

export function startOf(index: Sql, buckets: Exclude<BucketsOf, { readonly kind: 'many' }>): Sql {
  switch (buckets.kind) {
    case 'whole':
      return buckets.start;
    case 'each':
      return sql`fromUnixTimestamp64Nano(${index}, 'UTC')`;
    case 'one':
      return beginning(index, buckets.stepNs);
  }
}

export function beginning(index: Sql, widthNs: bigint): Sql {
  return sql`fromUnixTimestamp64Nano(${index} * ${integer(widthNs)}, 'UTC')`;
}

function inSeveral(plan: Plan, of: Omit<InBuckets, 'plan' | 'start'>, starts: Sql, ctx: Context): InBuckets {
  const [bucket, series, start, value] = [ctx.fresh(), ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const grouped: Plan = {
    op: 'aggregate',
    input: { op: 'unnest', input: plan, columns: [{ id: bucket, value: starts }] },
    keys: [
      { id: series, value: of.series },
      { id: start, value: column(bucket) },
    ],
    aggregates: [{ id: value, value: aggregate('sumOrNull', [of.value]) }],
  };
  return { plan: grouped, series: column(series), start: column(start), value: column(value), own: column(value) };
}
