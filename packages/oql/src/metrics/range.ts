import type { Context } from '../check/context.ts';
import type { Column, MetricPoints, Relation } from '../check/relation.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { aggregate, type ColumnId, column, integer, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import { deltasOf } from './deltas.ts';
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
  const ids = {
    value: ctx.fresh(),
    count: ctx.fresh(),
    sum: ctx.fresh(),
    explicit: ctx.fresh(),
    exponential: ctx.fresh(),
  };
  const perSecond = (total: Sql) => (fn === 'rate' ? sql`(${total} / ${Number(overNs) / 1e9})` : total);
  const total = (of: Sql) => perSecond(aggregate('sumOrNull', [of]));
  const { explicitKeys, explicitCounts, exponentialKeys, exponentialCounts } = deltas.distribution;
  const aggregates: Definition[] = [
    { id: ids.value, value: total(deltas.value) },
    { id: ids.count, value: total(deltas.count) },
    { id: ids.sum, value: total(deltas.sum) },
    { id: ids.explicit, value: aggregate('sumMap', [explicitKeys, explicitCounts]) },
    { id: ids.exponential, value: aggregate('sumMap', [exponentialKeys, exponentialCounts]) },
  ];
  const keys: Definition[] = [
    { id: series, value: points.series },
    { id: start, value: column(bucket) },
  ];
  const about = carriedThrough(points, ctx);
  const plan: Plan = { op: 'aggregate', input: bucketed, keys, aggregates: [...aggregates, ...about.aggregates] };
  const distribution: Distribution = {
    explicitKeys: sql`${column(ids.explicit)}.1`,
    explicitCounts: sql`${column(ids.explicit)}.2`,
    exponentialKeys: sql`${column(ids.exponential)}.1`,
    exponentialCounts: sql`${column(ids.exponential)}.2`,
  };
  return grownRelation(relation, points, {
    plan,
    series,
    start,
    about: about.columns,
    value: column(ids.value),
    count: column(ids.count),
    sum: column(ids.sum),
    distribution,
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
    { name: 'value', value: { type: 'float', sql: grown.value, nullable: true, distribution: grown.distribution } },
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
