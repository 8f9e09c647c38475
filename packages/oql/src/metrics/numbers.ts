import type { Context } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Plan } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import { type Anchored, beginsInRange, isInRange, withDelta } from './anchored.ts';
import type { BucketsOf } from './buckets.ts';
import { growthOf } from './growth.ts';
import { neighboursOf } from './neighbours.ts';

/** One row for each series and bucket. */
export interface SeriesGrowth {
  readonly plan: Plan;
  readonly series: Sql;
  readonly start: Sql;
}

/** How much each series of numbers has grown in each bucket. */
export function growthOfNumbers(
  fn: RangeFunction,
  points: MetricPoints,
  range: Anchored,
  buckets: BucketsOf,
  ctx: Context,
): SeriesGrowth & { readonly value: Sql /** What one of its points was. */; readonly own: Sql } {
  const { read } = points;
  const near = neighboursOf(points, ctx, 'before');
  const [now, then, start] = [read('value'), near.before(read('value')), near.before(read('start_time'))];
  const [grown, bucket] = [ctx.fresh(), ctx.fresh()];
  const { isDelta, input } = withDelta(points, range, range.numbers, [], ctx);
  const step = {
    isDelta,
    isFirst: near.isFirst,
    begins: beginsInRange(points, range),
    restarted: sql`(${read('start_time')} > ${start})`,
  };
  const growth: Plan = {
    op: 'extend',
    input: { op: 'window', input, columns: near.columns },
    columns: [{ id: grown, value: growthOf(fn, now, then, sql`(${now} < ${then})`, step) }],
  };
  const inRange: Plan = { op: 'filter', input: growth, predicate: isInRange(points, range) };
  const time = read('time');
  const bucketed: Plan =
    buckets.kind === 'many'
      ? { op: 'unnest', input: inRange, columns: [{ id: bucket, value: buckets.starts(time) }] }
      : {
          op: 'extend',
          input: inRange,
          columns: [{ id: bucket, value: buckets.kind === 'one' ? buckets.start(time) : buckets.start }],
        };
  const [series, startOfRow, value, own] = [ctx.fresh(), ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const plan: Plan = {
    op: 'aggregate',
    input: bucketed,
    keys: [
      { id: series, value: points.series },
      { id: startOfRow, value: column(bucket) },
    ],
    aggregates: [
      { id: value, value: aggregate('sumOrNull', [column(grown)]) },
      { id: own, value: aggregate('any', [now]) },
    ],
  };
  return { plan, series: column(series), start: column(startOfRow), value: column(value), own: column(own) };
}
