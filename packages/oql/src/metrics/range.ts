import type { Context } from '../check/context.ts';
import type { Column, MetricPoints, Relation } from '../check/relation.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { aggregate, type ColumnId, column, integer, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import { deltasOf, distributionOf, shapeOf } from './deltas.ts';
import type { Distribution } from './distribution.ts';

/** The time that a range function is about. */
export interface RangeSpan {
  /** The width of the buckets that follow; absent where there are none: then the range is one bucket. */
  readonly stepNs?: bigint;
  /** How far a bucket looks back from its end; its own width where a query does not say. */
  readonly overNs: bigint;
}

export interface RangeOptions extends RangeSpan {
  readonly fn: RangeFunction;
}

/** What the keys of buckets are made of, the counts for their number alone. */
const KEY_COLUMNS = [
  'bounds',
  'bucket_counts',
  'zero_threshold',
  'scale',
  'positive_offset',
  'positive_counts',
  'negative_offset',
  'negative_counts',
] as const;

/**
 * One row for each series and bucket: how much it has grown in the time up to the bucket's end, per second for `rate`.
 * The rows are still those of the metric, with their `time` at the beginning of the bucket.
 */
export function overRange(relation: Relation, points: MetricPoints, options: RangeOptions, ctx: Context): Relation {
  const { fn, stepNs, overNs } = options;
  const { fromNs, toNs } = relation.window;
  const firstBucket = stepNs === undefined ? fromNs : fromNs - (fromNs % stepNs);
  const begin = stepNs === undefined ? toNs - overNs : firstBucket + stepNs - overNs;
  const deltas = deltasOf(fn, relation, points, begin < fromNs || stepNs === undefined ? begin : fromNs, ctx);
  const bucket = ctx.fresh();
  const bucketed = intoBuckets(deltas.plan, points.read('time'), bucket, { fromNs: firstBucket, toNs }, options);

  const series = ctx.fresh();
  const start = ctx.fresh();
  const summed: Definition[] = [];
  const gather = (fn: string, args: readonly Sql[]): ColumnId => {
    const id = ctx.fresh();
    summed.push({ id, value: aggregate(fn, args) });
    return id;
  };
  const [value, count, sum] = [deltas.value, deltas.count, deltas.sum].map((of) => gather('sumOrNull', [of]));
  // Points with the same buckets are added up bucket by bucket: by the bounds of each of them is many times the work.
  const { distribution: grown } = deltas;
  const exponentialCounts = gather('sumForEach', [grown.exponentialCounts]);
  const { terms } = deltas;
  const added = gather('sumForEachIf', [terms.counts, terms.isAdded]);
  const subtracted = gather('sumForEachIf', [terms.countsBefore, terms.isSubtracted]);
  const zeroAdded = gather('sumIf', [terms.zero, terms.isAdded]);
  const zeroSubtracted = gather('sumIf', [terms.zeroBefore, terms.isSubtracted]);
  const stored: ReadonlyMap<string, ColumnId> = new Map(
    KEY_COLUMNS.map((name) => [name, gather('any', [points.read(name)])]),
  );
  const keysOf = distributionOf({ read: (name) => column(stored.get(name) ?? series) });
  const shaped: Plan = {
    op: 'aggregate',
    input: bucketed,
    keys: [
      { id: series, value: points.series },
      { id: start, value: column(bucket) },
    ],
    aggregates: summed,
    finer: { keys: [{ id: ctx.fresh(), value: shapeOf(points) }], of: [added, exponentialCounts] },
  };

  // Sums of whole numbers, whose difference is exact even where they have gone over 2^64.
  const sized = (of: ColumnId) =>
    sql`arrayResize(${column(of)}, length(${column(stored.get('bucket_counts') ?? series)}), 0)`;
  const growth = sql`arrayMap((a, b) -> toFloat64(toInt64(a - b)), ${sized(added)}, ${sized(subtracted)})`;
  const explicitCounts = sql`arrayPushBack(${growth}, toFloat64(toInt64(${column(zeroAdded)} - ${column(zeroSubtracted)})))`;

  const [seriesOfRow, startOfRow] = [ctx.fresh(), ctx.fresh()];
  const results: Definition[] = [];
  const result = (of: Sql): Sql => {
    const id = ctx.fresh();
    results.push({ id, value: of });
    return column(id);
  };
  const perSecond = (total: Sql) => (fn === 'rate' ? sql`(${total} / ${Number(overNs) / 1e9})` : total);
  const total = (id: ColumnId | undefined) => result(perSecond(aggregate('sumOrNull', [column(id ?? series)])));
  const numbers = { value: total(value), count: total(count), sum: total(sum) };
  const explicit = result(aggregate('sumMap', [keysOf.explicitKeys, explicitCounts]));
  const exponential = result(aggregate('sumMap', [keysOf.exponentialKeys, column(exponentialCounts)]));
  const totals: Plan = {
    op: 'aggregate',
    input: shaped,
    keys: [
      { id: seriesOfRow, value: column(series) },
      { id: startOfRow, value: column(start) },
    ],
    aggregates: results,
  };
  // What a series is, is looked up once for each bucket, and not with every point.
  const about = points.lookup(deltas.window);
  const plan: Plan = {
    op: 'join',
    mode: 'inner',
    lookup: true,
    left: totals,
    right: about.plan,
    on: [{ left: column(seriesOfRow), right: column(about.series) }],
  };
  return grownRelation(relation, points, {
    plan,
    series: seriesOfRow,
    start: startOfRow,
    about: about.columns,
    ...numbers,
    distribution: {
      explicitKeys: sql`${explicit}.1`,
      explicitCounts: sql`${explicit}.2`,
      exponentialKeys: sql`${exponential}.1`,
      exponentialCounts: sql`${exponential}.2`,
    },
    ...(stepNs === undefined ? {} : { stepNs }),
  });
}

/** What the series is does not change from point to point: any of them tells it. */
export function carriedThrough(points: MetricPoints, ctx: Context) {
  const columns: ReadonlyMap<string, ColumnId> = new Map(points.about.map((name) => [name, ctx.fresh()]));
  const aggregates = [...columns].map(
    ([name, id]): Definition => ({ id, value: aggregate('any', [points.read(name)]) }),
  );
  return { columns, aggregates };
}

/** One row for each series and bucket, as a range function leaves it. */
export interface Grown {
  readonly plan: Plan;
  readonly series: ColumnId;
  /** The beginning of the bucket. */
  readonly start: ColumnId;
  readonly about: ReadonlyMap<string, ColumnId>;
  readonly value: Sql;
  readonly count: Sql;
  readonly sum: Sql;
  readonly distribution: Distribution;
  readonly stepNs?: bigint;
}

/** The rows of a metric again, with what they have grown by in place of what they measured. */
export function grownRelation(relation: Relation, points: MetricPoints, grown: Grown): Relation {
  const { plan, series, start, about, stepNs } = grown;
  const read = (name: string): Sql => {
    if (name === 'series') return column(series);
    if (name === 'time') return column(start);
    const id = about.get(name);
    return id === undefined ? sql`NULL` : column(id);
  };
  const time = { type: 'timestamp' as const, sql: column(start), nullable: false };
  const measured: Column[] = [
    { name: 'time', value: time },
    {
      name: 'value',
      value: {
        type: 'float',
        sql: grown.value,
        nullable: true,
        distribution: grown.distribution,
        ...(points.observed ? { observed: { sum: grown.sum, count: grown.count } } : {}),
      },
    },
    { name: 'count', value: { type: 'float', sql: grown.count, nullable: true } },
    { name: 'sum', value: { type: 'float', sql: grown.sum, nullable: true } },
  ];
  return {
    plan,
    columns: measured,
    rows: points.rowsFrom(read),
    window: relation.window,
    time,
    sorted: false,
    ...(stepNs === undefined ? {} : { bucket: { column: 'time', widthNs: stepNs } }),
  };
}

/**
 * The points of a metric, with the buckets of a histogram as they grew in the range: a quantile of `metric x` is about
 * what was counted in the range, and not about all that was ever counted, again with every point.
 */
export function withGrownBuckets(relation: Relation, points: MetricPoints, ctx: Context): Relation {
  const { plan, distribution } = deltasOf('increase', relation, points, relation.window.fromNs, ctx);
  const value = { type: 'float' as const, sql: points.read('value'), nullable: true, distribution };
  return { ...relation, plan, columns: [{ name: 'value', value }] };
}

/** A row for each bucket whose time up to its end a point falls into: one, unless buckets look back further than they are wide. */
function intoBuckets(input: Plan, time: Sql, bucket: ColumnId, within: Window, { stepNs, overNs }: RangeOptions): Plan {
  if (stepNs === undefined) {
    const start = exactly(within.fromNs);
    return { op: 'extend', input, columns: [{ id: bucket, value: start }] };
  }
  const step = integer(stepNs);
  const nanoseconds = sql`toUnixTimestamp64Nano(toDateTime64(${time}, 9, 'UTC'))`;
  const own = sql`intDiv(${nanoseconds}, ${step})`;
  const begin = (index: Sql) => sql`fromUnixTimestamp64Nano(${index} * ${step}, 'UTC')`;
  if (overNs === stepNs) return { op: 'extend', input, columns: [{ id: bucket, value: begin(own) }] };
  // A point at t is in the time of each bucket k with (k + 1) · step - over <= t < (k + 1) · step.
  const last = sql`intDiv(${nanoseconds} + ${integer(overNs)}, ${step}) - 1`;
  const all = sql`arrayMap(k -> ${begin(sql`toInt64(k)`)}, range(toUInt64(${own}), toUInt64(${last}) + 1))`;
  const buckets = sql`arrayFilter(b -> b >= ${exactly(within.fromNs)} AND b < ${exactly(within.toNs)}, ${all})`;
  return { op: 'unnest', input, columns: [{ id: bucket, value: buckets }] };
}

export function exactly(nanoseconds: bigint): Sql {
  return sql`fromUnixTimestamp64Nano(${integer(nanoseconds)}, 'UTC')`;
}
