import type { Context } from '../check/context.ts';
import type { Column, MetricPoints, Relation } from '../check/relation.ts';
import type { Plan, UnionColumn } from '../plan/plan.ts';
import { type ColumnId, column, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import { anchored } from './anchored.ts';
import { bucketsOf, type RangeSpan } from './buckets.ts';
import { type Distribution, NO_DISTRIBUTION } from './distribution.ts';
import { growthOfHistograms } from './histograms.ts';
import { growthOfNumbers } from './numbers.ts';

export interface RangeOptions extends RangeSpan {
  readonly fn: RangeFunction;
}

const NO_NUMBER = sql`CAST(NULL, 'Nullable(Float64)')`;

/**
 * One row for each series and bucket: how much it has grown in the time up to the bucket's end, per second for `rate`.
 * The rows are still those of the metric, with their `time` at the beginning of the bucket.
 */
export function overRange(relation: Relation, points: MetricPoints, options: RangeOptions, ctx: Context): Relation {
  const { fn, stepNs, overNs } = options;
  const { fromNs, toNs } = relation.window;
  const firstBucket = stepNs === undefined ? fromNs : fromNs - (fromNs % stepNs);
  const begin = stepNs === undefined ? toNs - overNs : firstBucket + stepNs - overNs;
  const range = anchored(relation, points, begin < fromNs || stepNs === undefined ? begin : fromNs);
  const buckets = bucketsOf({ fromNs: firstBucket, toNs }, options);
  const numbers = growthOfNumbers(fn, points, range, buckets, ctx);
  const histograms = growthOfHistograms(fn, points, range, buckets, ctx);

  const columns: UnionColumn[] = [];
  const either = (number: Sql, histogram: Sql): ColumnId => {
    const id = ctx.fresh();
    columns.push({ id, values: [number, histogram] });
    return id;
  };
  const series = either(numbers.series, histograms.series);
  const start = either(numbers.start, histograms.start);
  const perSecond = (total: Sql) => (fn === 'rate' ? sql`(${total} / ${Number(overNs) / 1e9})` : total);
  const value = either(perSecond(numbers.value), NO_NUMBER);
  const count = either(NO_NUMBER, perSecond(histograms.count));
  const sum = either(NO_NUMBER, perSecond(histograms.sum));
  const shapes = either(NO_DISTRIBUTION.shapes, histograms.distribution.shapes);
  const counts = either(NO_DISTRIBUTION.counts, histograms.distribution.counts);

  // What a series is, is looked up once for each bucket, and not with every point.
  const about = points.lookup(range.window);
  const plan: Plan = {
    op: 'join',
    mode: 'inner',
    lookup: true,
    left: { op: 'union', inputs: [numbers.plan, histograms.plan], columns },
    right: about.plan,
    on: [{ left: column(series), right: column(about.series) }],
  };
  return grownRelation(relation, points, {
    plan,
    series,
    start,
    about: about.columns,
    value: column(value),
    count: column(count),
    sum: column(sum),
    distribution: { shapes: column(shapes), counts: column(counts) },
    ...(stepNs === undefined ? {} : { stepNs }),
  });
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
