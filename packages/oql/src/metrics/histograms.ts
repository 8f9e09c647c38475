import type { Context } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { aggregate, type ColumnId, column, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import { type Anchored, beginsInRange, isInRange, withDelta } from './anchored.ts';
import type { BucketsOf } from './buckets.ts';
import { type Distribution, mergedDistribution } from './distribution.ts';
import { withExponential } from './exponential.ts';
import { growthOf } from './growth.ts';
import { neighboursOf } from './neighbours.ts';
import { explicitKeysOf, keysOf } from './shape.ts';

/** One row for each series and bucket. */
export interface SeriesGrowth {
  readonly plan: Plan;
  readonly series: Sql;
  readonly start: Sql;
  readonly count: Sql;
  readonly sum: Sql;
  readonly distribution: Distribution;
}

/**
 * How much each series of histograms grew in each time bucket.
 *
 * Bucket counts are not subtracted from one point to the next. A point's counts are added in the time buckets of that
 * point, and subtracted in those of the next point, unless that one restarted its count; where both are in the same time
 * bucket, they cancel out. So for a series without resets only the first and the last point of a time bucket are summed,
 * and no array of the points between them is read.
 */
export function growthOfHistograms(
  fn: RangeFunction,
  points: MetricPoints,
  range: Anchored,
  buckets: BucketsOf,
  ctx: Context,
): SeriesGrowth {
  const shaped = withExponential(points, range, ctx);
  const { read, shape } = shaped;
  const near = neighboursOf({ series: points.series, read }, ctx);
  const { isDelta, input } = withDelta(points, range, range.histograms, shaped.columns, ctx);
  const { before, after, isFirst } = near;
  const [count, start, time] = [read('count'), read('start_time'), read('time')];
  const begins = beginsInRange(points, range);

  const made: Definition[] = [];
  const define = (value: Sql): Sql => {
    const id = ctx.fresh();
    made.push({ id, value });
    return column(id);
  };
  const step = {
    isDelta,
    isFirst,
    begins,
    restarted: sql`(${start} > ${before(start)})`,
  };
  const dropped = sql`(${count} < ${before(count)})`;
  const countGrown = define(growthOf(fn, count, before(count), dropped, step));
  const sumGrown = define(growthOf(fn, read('sum'), before(read('sum')), dropped, step));
  const isIn = define(isInRange(points, range));
  const counts = define(sql`(${isIn} AND (NOT ${isFirst} OR ${isDelta ? sql`${isDelta} OR ` : sql``}${begins}))`);
  // There is a next point, and it continues to count from this one.
  const goesOn = define(
    sql`(${after(time)} >= ${time} AND ${isInRange({ ...points, read: (name) => after(read(name)) }, range)} ${isDelta ? sql` AND NOT ${isDelta}` : sql``} AND NOT ${after(start)} > ${start} AND NOT ${after(count)} < ${count})`,
  );
  const nextShape = after(shape);
  const change = shaped.changeTo?.(nextShape, near);
  const stepped: Plan = {
    op: 'extend',
    input: { op: 'window', input, columns: near.columns },
    columns: [...made],
  };
  const placed = intoBuckets(stepped, { time, next: after(time), isIn, goesOn }, buckets, ctx);

  const [seriesId, startId] = [ctx.fresh(), ctx.fresh()];
  const sums: Definition[] = [];
  const gather = (fn: string, args: readonly Sql[]): ColumnId => {
    const id = ctx.fresh();
    sums.push({ id, value: aggregate(fn, args) });
    return id;
  };
  const countTotal = gather('sumOrNullIf', [countGrown, placed.isOwn]);
  const sumTotal = gather('sumOrNullIf', [sumGrown, placed.isOwn]);
  const matters = gather('max', [sql`(${placed.isOwn} OR ${placed.isBefore})`]);
  const adds = sql`(${placed.isOwn} AND ${counts})`;
  const takes = sql`(${placed.isBefore} AND ${nextShape} = ${shape})`;
  const ofBuckets = new Set<ColumnId>();
  const forBuckets = (fn: string, args: readonly Sql[]): Sql => {
    const id = gather(fn, args);
    ofBuckets.add(id);
    return column(id);
  };
  /** The added and the subtracted totals of a number or an array of numbers. */
  const totals = (fn: string, of: Sql) => [
    forBuckets(`${fn}If`, [of, sql`(${adds} AND NOT ${takes})`]),
    forBuckets(`${fn}If`, [of, sql`(${takes} AND NOT ${adds})`]),
  ];
  const names = change
    ? (['bucket_counts', 'positive_counts', 'negative_counts'] as const)
    : (['bucket_counts'] as const);
  const sides = names.map((name) => {
    const length = gather('any', [sql`length(${read(name)})`]);
    const [added = placed.isOwn, taken = placed.isOwn] = totals('sumForEach', read(name)).map(
      (of) => sql`arrayResize(${of}, ${column(length)}, 0)`,
    );
    // The difference of integer sums is exact even where the sums overflow 2^64.
    return { name, length, growth: sql`arrayMap((a, b) -> toFloat64(toInt64(a - b)), ${added}, ${taken})` };
  });
  const zeroOf = () => {
    const [added = isIn, taken = isIn] = totals('sum', read('zero_count'));
    return sql`[toFloat64(toInt64(${added} - ${taken}))]`;
  };
  const zero = change && zeroOf();
  const changed =
    change && forBuckets('sumForEachMapIf', [change.counts, sql`(${placed.isBefore} AND ${change.isOne})`]);
  const described = change ? ['bounds', 'zero_threshold', 'scale', 'positive_offset', 'negative_offset'] : ['bounds'];
  const stored = new Map(described.map((name) => [name, gather('any', [read(name)])]));
  const shapeId = ctx.fresh();
  const byShape: Plan = {
    op: 'aggregate',
    input: placed.plan,
    keys: [
      { id: seriesId, value: points.series },
      { id: startId, value: placed.start },
    ],
    aggregates: sums,
    // Without a quantile in the query, points are not grouped by their buckets.
    finer: { keys: [{ id: shapeId, value: shape }], of: [...ofBuckets] },
  };

  const lengths = new Map(sides.map(({ name, length }) => [name as string, length]));
  const keys = () =>
    (change ? keysOf : explicitKeysOf)(
      (name) => column(stored.get(name) ?? shapeId),
      (name) => column(lengths.get(name) ?? shapeId),
    );
  // Where each row is an explicit histogram, the keys can be derived from the bounds after everything is summed.
  const ofBounds = !change && !points.has('metric_points');
  const [explicit = isIn, positive = isIn, negative = isIn] = sides.map(({ growth }) => growth);
  const grown = zero ? sql`arrayConcat(${explicit}, ${zero}, ${positive}, ${negative})` : explicit;
  const merged = mergedDistribution({
    shapes: sql`map(${column(shapeId)}, ${ofBounds ? column(stored.get('bounds') ?? shapeId) : keys()})`,
    counts: sql`map(${column(shapeId)}, ${grown})`,
  });
  const results: Definition[] = [];
  const result = (value: Sql): Sql => {
    const id = ctx.fresh();
    results.push({ id, value });
    return column(id);
  };
  const [series, startOfRow] = [ctx.fresh(), ctx.fresh()];
  const [total, totalSum] = [countTotal, sumTotal].map((id) => result(aggregate('sumOrNull', [column(id)])));
  const shapes = result(merged.shapes);
  const own = result(merged.counts);
  const taken = changed && result(aggregate('sumForEachMap', [changed]));
  const plan: Plan = {
    op: 'aggregate',
    input: buckets.kind === 'whole' ? { op: 'filter', input: byShape, predicate: column(matters) } : byShape,
    keys: [
      { id: series, value: column(seriesId) },
      { id: startOfRow, value: column(startId) },
    ],
    aggregates: results,
  };
  return {
    plan,
    series: column(series),
    start: column(startOfRow),
    count: total ?? isIn,
    sum: totalSum ?? isIn,
    // `taken` is keyed by the shape of the point that continues from another: one of the row's shapes.
    distribution: {
      shapes,
      counts: taken
        ? sql`mapFromArrays(mapKeys(${own}), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(${taken}[k], length(c), 0)), mapKeys(${own}), mapValues(${own})))`
        : own,
      explicit: !change,
      ofBounds,
    },
  };
}

interface Placing {
  readonly time: Sql;
  /** The time of the next point of the series. */
  readonly next: Sql;
  readonly isIn: Sql;
  readonly goesOn: Sql;
}

/** One row for each bucket that contains a point, or contains the next point that continues from it. */
function intoBuckets(input: Plan, { time, next, isIn, goesOn }: Placing, buckets: BucketsOf, ctx: Context) {
  const [bucket, own, before] = [ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const result = { start: column(bucket), isOwn: column(own), isBefore: column(before) };
  const kept = (plan: Plan): Plan => ({
    op: 'filter',
    input: plan,
    predicate: sql`(${column(own)} OR ${column(before)})`,
  });
  if (buckets.kind === 'whole') {
    const columns: Definition[] = [
      { id: bucket, value: buckets.start },
      { id: own, value: isIn },
      { id: before, value: goesOn },
    ];
    // All but the few points before the range are in the bucket, so the others are dropped after summing.
    return { ...result, plan: { op: 'extend', input, columns } satisfies Plan };
  }
  const starts = buckets.kind === 'many' ? buckets.starts : (of: Sql) => sql`[${buckets.start(of)}]`;
  const [mine, others] = [ctx.fresh(), ctx.fresh()];
  const lists: Definition[] = [
    { id: mine, value: sql`if(${isIn}, ${starts(time)}, [])` },
    { id: others, value: sql`if(${goesOn}, ${starts(next)}, [])` },
  ];
  const all = sql`arrayDistinct(arrayConcat(${column(mine)}, ${column(others)}))`;
  const columns: Definition[] = [
    { id: bucket, value: all },
    { id: own, value: sql`arrayMap(b -> has(${column(mine)}, b), ${all})` },
    { id: before, value: sql`arrayMap(b -> has(${column(others)}, b), ${all})` },
  ];
  return { ...result, plan: kept({ op: 'unnest', input: { op: 'extend', input, columns: lists }, columns }) };
}
