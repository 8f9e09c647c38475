import type { Context } from '../check/context.ts';
import { flagsOf } from '../check/histogram-value.ts';
import type { Column, MetricPoints, Relation } from '../check/relation.ts';
import type { Plan, UnionColumn, Window } from '../plan/plan.ts';
import { type ColumnId, column, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import { lookUpAgain } from './about.ts';
import { growthOfAlike } from './alike.ts';
import { type Anchored, anchored, anchorless, mayAssumeAnchors } from './anchored.ts';
import { type BucketsOf, bucketsOf, type RangeSpan } from './buckets.ts';
import { gatherBuckets } from './classic.ts';
import { type Distribution, NO_DISTRIBUTION } from './distribution.ts';
import { firstOf } from './ends.ts';
import type { Grown } from './grown.ts';
import { growthOfHistograms, type SeriesGrowth } from './histograms.ts';
import { growthOfNumbers } from './numbers.ts';

export interface RangeOptions extends RangeSpan {
  readonly fn: RangeFunction;
}

const NO_NUMBER = sql`CAST(NULL, 'Nullable(Float64)')`;

/**
 * One row for each series and bucket: how much the series grew in the lookback from the bucket's end, per second for `rate`.
 * The rows keep the columns of the metric, with `time` at the beginning of the bucket.
 */
export function overRange(relation: Relation, points: MetricPoints, options: RangeOptions, ctx: Context): Relation {
  const { stepNs, overNs, endNs, adds } = options;
  const { fromNs } = relation.window;
  const { firstBucket, firstEnd } = firstOf(relation.window, options);
  const begin = adds && stepNs !== undefined ? firstBucket : firstEnd - overNs;
  const range = anchored(
    relation,
    points,
    {
      fromNs: begin < fromNs || stepNs === undefined ? begin : fromNs,
      endNs,
      isChecked: mayAssumeAnchors(points),
    },
    ctx,
  );
  if (!mayAssumeAnchors(points)) ctx.anchorless.push(...anchorless(points, range, ctx));
  return grownOver(relation, points, options, { range, buckets: bucketsOf(firstBucket, options) }, ctx);
}

/** One row for each series and point: how much the series grew since the previous point. */
export function overPoints(relation: Relation, points: MetricPoints, ctx: Context): Relation {
  const { fromNs, toNs } = relation.window;
  const range = anchored(relation, points, { fromNs, endNs: toNs }, ctx);
  ctx.anchorless.push(...anchorless(points, range, ctx));
  const options = { fn: 'increase', overNs: toNs - fromNs, endNs: toNs } as const;
  return grownOver(
    relation,
    points,
    options,
    { range, buckets: { kind: 'each', start: (time) => time }, ofPoints: true },
    ctx,
  );
}

function grownOver(
  relation: Relation,
  points: MetricPoints,
  { fn, overNs, stepNs, adds }: RangeOptions,
  { range, buckets, ofPoints }: { readonly range: Anchored; readonly buckets: BucketsOf; readonly ofPoints?: true },
  ctx: Context,
): Relation {
  const numbers = points.has('metric_points') ? growthOfNumbers(fn, points, range, buckets, ctx) : undefined;
  const histograms = points.has('metric_histograms') ? histogramGrowth(fn, points, range, buckets, ctx) : undefined;
  const grown = [numbers, histograms].filter((one) => one !== undefined);

  const columns: UnionColumn[] = [];
  const make = (...values: readonly (Sql | undefined)[]): ColumnId => {
    const id = ctx.fresh();
    columns.push({ id, values: values.filter((value) => value !== undefined) });
    return id;
  };
  const either = (number: Sql | undefined, histogram: Sql | undefined, none: Sql) =>
    make(numbers && (number ?? none), histograms && (histogram ?? none));
  const series = make(...grown.map((one) => one.series));
  const start = make(...grown.map((one) => sql`toDateTime64(${one.start}, 9, 'UTC')`));
  const perSecond = (total: Sql) => (fn === 'rate' ? sql`(${total} / ${Number(overNs) / 1e9})` : total);
  const value = either(numbers && perSecond(numbers.value), undefined, NO_NUMBER);
  const own = either(numbers?.own, undefined, NO_NUMBER);
  const count = either(undefined, histograms && perSecond(histograms.count), NO_NUMBER);
  const sum = either(undefined, histograms && perSecond(histograms.sum), NO_NUMBER);
  const distribution = histograms && carried(histograms.distribution);

  function carried(of: Distribution): Distribution {
    const carry = (value: Sql, none: Sql) => column(either(undefined, value, none));
    // All rows are histograms, so there is no other input.
    if ('bounds' in of) {
      const { bounds, hash, counts } = of;
      const [low, high] = [column(make(hash.low)), column(make(hash.high))];
      return { bounds: column(make(bounds)), hash: { low, high }, counts: column(make(counts)) };
    }
    return {
      shapes: carry(of.shapes, NO_DISTRIBUTION.shapes),
      counts: carry(of.counts, NO_DISTRIBUTION.counts),
      explicit: of.explicit ?? false,
      ofBounds: of.ofBounds ?? false,
      everywhere: !numbers,
    };
  }

  // Series metadata is looked up once per bucket, not per point.
  const about = lookUpAgain(points, relation.plan, range.window);
  const plan: Plan = {
    op: 'join',
    mode: 'inner',
    lookup: true,
    left: sideBySide(
      grown.map((one) => one.plan),
      columns,
    ),
    right: about.plan,
    on: [{ left: column(series), right: column(about.series) }],
  };
  return grownRelation(
    relation,
    points,
    {
      plan,
      series,
      start,
      about: about.columns,
      value: column(value),
      ...(ofPoints && { own: column(own) }),
      count: column(count),
      sum: column(sum),
      ...(distribution && { distribution }),
      ...(stepNs === undefined ? {} : { stepNs, covers: coveredBy(relation.window, stepNs, adds) }),
    },
    ctx,
  );
}

/** The first bucket is read from its beginning. The others have the full width, unless they have to add up to the range. */
export function coveredBy({ fromNs, toNs }: Window, stepNs: bigint, adds = false): Window {
  return { fromNs: fromNs - (fromNs % stepNs), toNs: adds ? toNs : toNs + stepNs };
}

/** A union; a single input only gets more columns, which saves a step. */
function sideBySide(inputs: readonly Plan[], columns: readonly UnionColumn[]): Plan {
  const [only] = inputs;
  if (inputs.length > 1 || !only) return { op: 'union', inputs, columns };
  return { op: 'extend', input: only, columns: columns.map(({ id, values: [value = NO_NUMBER] }) => ({ id, value })) };
}

function histogramGrowth(
  fn: RangeFunction,
  points: MetricPoints,
  range: Anchored,
  buckets: BucketsOf,
  ctx: Context,
): SeriesGrowth {
  return points.alike && points.plain && buckets.kind !== 'each'
    ? growthOfAlike(fn, points, range, buckets, ctx)
    : growthOfHistograms(fn, points, range, buckets, ctx);
}

/** The rows of a metric, with their growth in place of the measured values. */
export function grownRelation(relation: Relation, points: MetricPoints, ofSeries: Grown, ctx: Context): Relation {
  const grown = points.classic ? gatherBuckets(ofSeries, points.classic, ctx) : ofSeries;
  const { plan, series, start, about, stepNs, covers } = grown;
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
        ...(grown.distribution && points.histograms !== 'none' ? { distribution: grown.distribution } : {}),
        ...(points.histograms === 'none' ? {} : { observed: { sum: grown.sum, count: grown.count } }),
        ...flagsOf(points.histograms),
      },
    },
    { name: 'count', value: { type: 'float', sql: grown.count, nullable: true } },
    { name: 'sum', value: { type: 'float', sql: grown.sum, nullable: true } },
  ];
  return {
    plan,
    columns: measured,
    rows: points.rowsFrom(read),
    ...(points.bucketsOf === undefined ? {} : { bucketsOf: points.bucketsOf }),
    window: relation.window,
    time,
    sorted: false,
    ...(stepNs === undefined ? {} : { bucket: { column: 'time', widthNs: stepNs } }),
    ...(covers && { covers }),
  };
}
