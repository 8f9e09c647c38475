import type { Context } from '../check/context.ts';
import { wholeOf } from '../check/integers.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { column, integer, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import { type Anchored, isOfDelta, lacksAnchor, mayAssumeAnchors } from './anchored.ts';
import { assumed } from './assumption.ts';
import type { BucketsOf } from './buckets.ts';
import { type InBuckets, inBuckets } from './cells.ts';
import { type RolledParts, rolledPartsOf, rolledRunsOf } from './roll-ups.ts';
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
  const rolled = rolledPartsOf(points, range.numbers, range, buckets, ctx);
  if (rolled) return growthOfRollUps(fn, points, range, buckets, rolled, ctx);
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
  const differences = runs.integers ? define(exactDifferences(values, runs.integers)) : sql`arrayDifference(${values})`;
  const begins = beginsIn(range);
  const grown =
    fn === 'delta'
      ? differences
      : sql`arrayMap((i, d, v, s, b) -> if(i = 1, v * (${begins}), if(d < 0 OR s > 0, v, d)), arrayEnumerate(${values}), ${differences}, ${values}, arrayDifference(${starts}), ${starts})`;
  const counts = define(isDelta ? sql`if(${isDelta}, ${values}, ${grown})` : grown);
  const extended: Plan = { op: 'extend', input: runs.plan, columns, apart: true };
  const plan = withAnchors(extended, points, range, { times, starts, isDelta }, buckets);
  return inBuckets({ plan, series, times, values, counts, fromNs: range.fromNs }, buckets, ctx);
}

/** Of integers that floats round, the differences are exact before they become floats. */
function exactDifferences(values: Sql, integers: Sql): Sql {
  const before = (of: Sql) => sql`arrayPushFront(arrayPopBack(${of}), ${of}[1])`;
  const whole = (value: Sql, integer: Sql) => sql`ifNull(${wholeOf(value, integer)}, 0)`;
  const exact = sql`toFloat64(${whole(sql`v`, sql`i`)} - ${whole(sql`u`, sql`j`)})`;
  return sql`arrayMap((d, v, i, u, j) -> if(i = 0 AND j = 0, d, ${exact}), arrayDifference(${values}), ${values}, ${integers}, ${before(values)}, ${before(integers)})`;
}

/** A series that began in the range counted all of its first value there; otherwise the first difference is 0. `b` is its start. */
function beginsIn({ fromNs }: Anchored): Sql {
  return sql`b >= ${integer(fromNs)}`;
}

/** The same rows; the statement fails where it has assumed that there are anchors and one is missing. */
function withAnchors(
  input: Plan,
  points: MetricPoints,
  { fromNs }: Anchored,
  { times, starts, isDelta }: { readonly times: Sql; readonly starts: Sql; readonly isDelta: Sql | undefined },
  buckets: BucketsOf,
): Plan {
  if (!mayAssumeAnchors(points) || buckets.kind === 'each') return input;
  const lacks = lacksAnchor(fromNs, times, starts);
  const missing = isDelta ? sql`(${lacks} AND NOT ${isDelta})` : lacks;
  return { op: 'filter', input, predicate: sql`(NOT ${assumed(missing, 'alike')})` };
}

/** The same over slots of roll-ups and points: each grows from the last point of the one before it to its own first one, and within. */
function growthOfRollUps(
  fn: RangeFunction,
  points: MetricPoints,
  range: Anchored,
  buckets: BucketsOf,
  parts: RolledParts,
  ctx: Context,
): InBuckets {
  const runs = rolledRunsOf(points, range.numbers, parts, fn === 'delta' ? 'difference' : 'increase', ctx);
  const { series, times, firsts, lasts, sums } = runs;
  const [before, counts] = [ctx.fresh(), ctx.fresh()];
  const previous = (of: Sql) => sql`arrayPushFront(arrayPopBack(${of}), 0)`;
  const stepped =
    fn === 'delta'
      ? sql`arrayMap((i, v, p, g) -> g + if(i = 1, 0, v - p), arrayEnumerate(${times}), ${firsts.values}, ${column(before)}, ${runs.grown})`
      : sql`arrayMap((i, v, p, b, s, g) -> g + if(i = 1, v * (${beginsIn(range)}), if(v < p OR b > s, v, v - p)), arrayEnumerate(${times}), ${firsts.values}, ${column(before)}, ${firsts.starts}, ${previous(lasts.starts)}, ${runs.grown})`;
  const isDelta = isOfDelta(points, range, series);
  const of: Plan = {
    op: 'extend',
    input: runs.plan,
    columns: [{ id: before, value: previous(lasts.values) }],
    apart: true,
  };
  const columns = [{ id: counts, value: isDelta ? sql`if(${isDelta}, ${sums}, ${stepped})` : stepped }];
  const extended: Plan = { op: 'extend', input: of, columns, apart: true };
  const plan = withAnchors(extended, points, range, { times, starts: firsts.starts, isDelta }, buckets);
  return inBuckets(
    { plan, series, times, values: firsts.values, counts: column(counts), fromNs: range.fromNs },
    buckets,
    ctx,
  );
}
