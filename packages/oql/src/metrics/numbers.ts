import type { Context } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Definition } from '../plan/plan.ts';
import { column, integer, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import { type Anchored, isOfDelta } from './anchored.ts';
import type { BucketsOf } from './buckets.ts';
import { type InBuckets, inBuckets } from './cells.ts';
import { runsOf } from './runs.ts';

/**
 * How much each series of numbers grew in each bucket: the rule of `growthOf`, in one pass over the arrays of a series.
 * `docs/decisions/0043` has the measurements; windows over rows took four times as long.
 */
export function growthOfNumbers(
  fn: RangeFunction,
  points: MetricPoints,
  range: Anchored,
  buckets: BucketsOf,
  ctx: Context,
): InBuckets {
  const runs = runsOf(points, range.numbers, ctx);
  const { series, times, values, starts } = runs;
  const columns: Definition[] = [];
  const define = (value: Sql): Sql => {
    const id = ctx.fresh();
    columns.push({ id, value });
    return column(id);
  };
  const delta = isOfDelta(points, range, series);
  const isDelta = delta && define(delta);
  const differences = sql`arrayDifference(${values})`;
  // A series that began in the range counted all of its first value there; otherwise the first difference is 0.
  const begins = sql`b >= ${integer((range.fromNs + 999_999n) / 1_000_000n)}`;
  const grown =
    fn === 'delta'
      ? differences
      : sql`arrayMap((i, d, v, s, b) -> if(i = 1, v * (${begins}), if(d < 0 OR s > 0, v, d)), arrayEnumerate(${values}), ${differences}, ${values}, arrayDifference(${starts}), ${starts})`;
  const counts = define(isDelta ? sql`if(${isDelta}, ${values}, ${grown})` : grown);
  const plan = { op: 'extend', input: runs.plan, columns, apart: true } as const;
  return inBuckets({ plan, series, times, values, counts, fromNs: range.fromNs }, buckets, ctx);
}
