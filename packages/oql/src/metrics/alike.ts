import type { Context } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { aggregate, type ColumnId, column, integer, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import type { Anchored } from './anchored.ts';
import { assumed } from './assumption.ts';
import type { BucketsOf } from './buckets.ts';
import { beginningOfCell, cellOf, startOf } from './cells.ts';
import type { SharedBounds } from './distribution.ts';
import type { SeriesGrowth } from './histograms.ts';
import { withCopies } from './runs.ts';

type Buckets = Exclude<BucketsOf, { readonly kind: 'each' }>;

interface GrowthOfAlike extends SeriesGrowth {
  readonly distribution: SharedBounds;
}

/**
 * How much each series of cumulative histograms with explicit bounds grew in each time bucket: the rule of
 * `growthOfHistograms`, over the arrays of a series. The statement fails if a point was stored twice, or has no sum while
 * the query reads sums. `docs/decisions/0051` has the measurements.
 */
export function growthOfAlike(
  fn: RangeFunction,
  points: MetricPoints,
  range: Anchored,
  buckets: Buckets,
  ctx: Context,
): GrowthOfAlike {
  const { read } = points;
  const series = ctx.fresh();
  const nanoseconds = (time: Sql) => sql`toUnixTimestamp64Nano(${time})`;
  const ofSeries = definitions(ctx);
  const gather = (fn: string, value: Sql): Sql => ofSeries.define(aggregate(fn, [value]));
  const times = gather('groupArray', nanoseconds(read('time')));
  const starts = gather('groupArray', nanoseconds(read('start_time')));
  const counts = gather('groupArray', read('count'));
  const sums = gather('groupArray', read('sum'));
  const contents = gather(buckets.kind === 'whole' ? 'groupArrayArray' : 'groupArray', read('bucket_counts'));
  const bounds = gather('any', read('bounds'));
  const hash = sql`cityHash64(${read('bounds')})`;
  const [low, high] = [gather('min', hash), gather('max', hash)];
  const isTwice = sql`arrayExists(d -> d <= 0, arrayPopFront(arrayDifference(${times})))`;
  const gathered: Plan = {
    op: 'filter',
    input: {
      op: 'aggregate',
      input: withCopies(points, range.histograms) ?? range.histograms,
      keys: [{ id: series, value: points.series }],
      aggregates: ofSeries.all,
      inOrder: true,
    },
    predicate: sql`(NOT ${assumed(isTwice, 'alike')})`,
  };

  const ofPoints = definitions(ctx);
  const cells = ofPoints.define(sql`arrayMap(t -> ${cellOf(range.fromNs, buckets)}, ${times})`);
  const begun = (start: Sql) => sql`(${start} >= ${integer(range.fromNs)})`;
  // A point continues from the previous one; otherwise its whole value counts, for the first point only if its series began in the range.
  const goesOn = ofPoints.define(
    sql`arrayMap((i, s, n) -> i > 1 AND s <= 0 AND n >= 0, arrayEnumerate(${times}), arrayDifference(${starts}), arrayDifference(${counts}))`,
  );
  const isWhole = ofPoints.define(
    sql`arrayMap((i, s) -> i > 1 OR ${begun(sql`s`)}, arrayEnumerate(${times}), ${starts})`,
  );
  const input: Plan = { op: 'extend', input: gathered, columns: ofPoints.all };
  const marks: Marks = { cells, goesOn, isWhole, bounds, contents, begins: begun(sql`${starts}[1]`) };

  const difference = (of: Sql) => sql`arrayDifference(${of})`;
  const grown = (of: Sql, own: Sql) =>
    fn === 'delta'
      ? difference(of)
      : sql`arrayMap((n, d, k, w) -> if(k, d, n * w), ${own}, ${difference(of)}, ${goesOn}, ${isWhole})`;
  const withSums = sql`if(${assumed(sql`length(${sums}) != length(${times})`, 'alike')}, [], ${sums})`;
  const measures = {
    count: grown(counts, sql`arrayMap(n -> toInt64(n), ${counts})`),
    sum: grown(withSums, withSums),
  };
  const { plan, start, count, sum, growth } =
    buckets.kind === 'whole'
      ? inWhole(input, buckets.start, marks, measures, ctx)
      : inCells(input, buckets, marks, measures, ctx);
  const found: GrowthOfAlike = {
    plan,
    series: column(series),
    start,
    count: sql`toFloat64(${count})`,
    sum,
    distribution: { bounds, hash: { low, high }, counts: growth },
  };
  return buckets.kind === 'many' ? inSeveral(found, buckets.starts(start), ctx) : found;
}

function definitions(ctx: Context) {
  const all: Definition[] = [];
  const define = (value: Sql): Sql => {
    const id = ctx.fresh();
    all.push({ id, value });
    return column(id);
  };
  return { all, define };
}

/** Facts about a series' points: arrays with one element per point, unless noted otherwise. */
interface Marks {
  /** The time cell of the point; negative before the range. */
  readonly cells: Sql;
  readonly goesOn: Sql;
  readonly isWhole: Sql;
  /** The bounds of the series. */
  readonly bounds: Sql;
  /** Bucket counts; where the range is one cell, one flat array with the counts of one point after another. */
  readonly contents: Sql;
  /** Whether the series began in the range: a single value, not an array. */
  readonly begins: Sql;
}

interface Measures {
  readonly count: Sql;
  readonly sum: Sql;
}

interface InCells extends Measures {
  readonly plan: Plan;
  readonly start: Sql;
  readonly growth: Sql;
}

/** The difference of integer sums, which is exact even where the sums overflow 2^64. */
function differenceOf(added: Sql, taken: Sql, { bounds }: Marks): Sql {
  const whole = (array: Sql) => sql`arrayResize(${array}, length(${bounds}) + 1)`;
  return sql`arrayMap((a, b) -> toFloat64(toInt64(a - b)), ${whole(added)}, ${whole(taken)})`;
}

/**
 * Where the whole range is one cell, a series grew by the counts of its last point, plus those of each point that the next one
 * does not continue from, minus those of the last point before the range. No other bucket counts are read.
 */
function inWhole(input: Plan, start: Sql, marks: Marks, measures: Measures, ctx: Context): InCells {
  const { cells, goesOn, bounds, contents, begins } = marks;
  const ofSeries = definitions(ctx);
  const inRange = (array: Sql) => sql`arrayReduce('sum', arrayFilter((x, c) -> c >= 0, ${array}, ${cells}))`;
  const size = sql`(length(${bounds}) + 1)`;
  const at = (index: Sql, length: Sql) => sql`arraySlice(${contents}, (${index} - 1) * ${size} + 1, ${length})`;
  const first = sql`arrayFirstIndex(c -> c >= 0, ${cells})`;
  // The point before the first one in the range; the first one itself if there is no earlier point.
  const base = ofSeries.define(sql`greatest(${first}, 2) - 1`);
  const ends = ofSeries.define(
    sql`arrayFilter((i, c, k) -> i > 1 AND c >= 0 AND NOT k, arrayEnumerate(${cells}), ${cells}, ${goesOn})`,
  );
  const count = ofSeries.define(inRange(measures.count));
  const sum = ofSeries.define(inRange(measures.sum));
  const plan: Plan = {
    op: 'extend',
    input: { op: 'filter', input, predicate: sql`(${cells}[-1] >= 0)` },
    columns: ofSeries.all,
  };
  const results = definitions(ctx);
  const last = sql`arraySlice(${contents}, -toInt64(${size}))`;
  const lost = sql`arrayMap(i -> ${at(sql`(i - 1)`, size)}, ${ends})`;
  const added = sql`arrayReduce('sumForEach', arrayPushBack(${lost}, ${last}))`;
  const growth = results.define(
    differenceOf(added, at(base, sql`if(${begins} AND ${cells}[1] >= 0, 0, ${size})`), marks),
  );
  return { plan: { op: 'extend', input: plan, columns: results.all }, start, count, sum, growth };
}

/**
 * Adds the counts of the last point of a cell and subtracts those of the point before the cell; does the same where a point
 * does not continue from the previous one.
 */
function inCells(
  input: Plan,
  buckets: Exclude<Buckets, { readonly kind: 'whole' }>,
  marks: Marks,
  measures: Measures,
  ctx: Context,
): InCells {
  const { cells, goesOn, isWhole, contents } = marks;
  const next = (array: Sql, last: Sql) => sql`arrayPushBack(arrayPopFront(${array}), ${last})`;
  const before = (array: Sql, first: Sql) => sql`arrayPushFront(arrayPopBack(${array}), ${first})`;
  const [no, nowhere, none] = [sql`false`, sql`-1`, sql`CAST([], 'Array(UInt64)')`];
  const adds = sql`arrayMap((c, w, k, d) -> c >= 0 AND w AND NOT (k AND c = d), ${cells}, ${isWhole}, ${next(goesOn, no)}, ${next(cells, nowhere)})`;
  const takes = sql`arrayMap((c, w, k, d) -> c >= 0 AND k AND NOT (w AND c = d), ${cells}, ${before(isWhole, no)}, ${goesOn}, ${before(cells, nowhere)})`;

  const ofSeries = definitions(ctx);
  const unnested: Definition[] = [];
  const unnest = (array: Sql): Sql => {
    const id: ColumnId = ctx.fresh();
    unnested.push({ id, value: ofSeries.define(array) });
    return column(id);
  };
  const split = (array: Sql) => sql`arraySplit((x, y) -> y != 0, ${array}, arrayDifference(${cells}))`;
  const marked = (arrays: Sql, by: Sql) => {
    const only = sql`arrayMap((x, m) -> if(m, x, ${none}), ${arrays}, ${by})`;
    return unnest(sql`arrayMap(c -> arrayReduce('sumForEach', c), ${split(only)})`);
  };
  const sumOf = (array: Sql) => unnest(sql`arrayMap(c -> arrayReduce('sum', c), ${split(array)})`);
  const index = unnest(sql`arrayCompact(${cells})`);
  const [count, sum] = [sumOf(measures.count), sumOf(measures.sum)];
  const [added, taken] = [marked(contents, adds), marked(before(contents, none), takes)];
  const rows: Plan = {
    op: 'filter',
    // Compute the arrays in a step before the rows: otherwise the columns they are made of would be copied with each row.
    input: { op: 'unnest', input: { op: 'extend', input, columns: ofSeries.all, apart: true }, columns: unnested },
    predicate: sql`(${index} >= 0)`,
  };
  const results = definitions(ctx);
  const growth = results.define(differenceOf(added, taken, marks));
  const start = buckets.kind === 'many' ? beginningOfCell(index, buckets) : startOf(index, buckets);
  return { plan: { op: 'extend', input: rows, columns: results.all, apart: true }, start, count, sum, growth };
}

/** The same for buckets with a lookback longer than their width: a time cell belongs to several of them. */
function inSeveral(of: GrowthOfAlike, starts: Sql, ctx: Context): GrowthOfAlike {
  const [bucket, series, start] = [ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const results = definitions(ctx);
  const gather = (fn: string, value: Sql) => results.define(aggregate(fn, [value]));
  const { bounds, hash, counts } = of.distribution;
  const found = {
    count: gather('sum', of.count),
    sum: gather('sum', of.sum),
    distribution: {
      bounds: gather('any', bounds),
      hash: { low: gather('min', hash.low), high: gather('max', hash.high) },
      counts: gather('sumForEach', counts),
    },
  };
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'unnest', input: of.plan, columns: [{ id: bucket, value: starts }] },
    keys: [
      { id: series, value: of.series },
      { id: start, value: column(bucket) },
    ],
    aggregates: results.all,
  };
  return { plan, series: column(series), start: column(start), ...found };
}
