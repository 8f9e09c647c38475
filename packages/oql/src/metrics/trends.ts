import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { rewrite } from '../rules/columns.ts';
import { aggregate, column, integer, type Sql, sql } from '../sql/sql.ts';
import type { RangeSpan } from './buckets.ts';
import { withSums } from './classic.ts';
import { carriedThrough, endsOf, intoEnds } from './ends.ts';
import { neighboursOf } from './neighbours.ts';
import { coveredBy, grownRelation } from './range.ts';

export type Trend =
  | { readonly fn: 'irate' | 'deriv' | 'latest' }
  | { readonly fn: 'predict'; readonly aheadNs: bigint };
export type TrendRange = RangeSpan & Trend;

const NO_NUMBER = sql`CAST(NULL, 'Nullable(Float64)')`;

/**
 * One row for each series of numbers and bucket: the value of PromQL's `irate(x[over])`, `deriv(x[over])` or
 * `predict_linear(x[over], ahead)` at the end of the bucket. It needs at least two points in `(end - over, end]`. For `latest`,
 * the value of the instant vector `x` with this look-back: one point is enough, but no row if the series ended after it.
 */
export function trendOver(relation: Relation, points: MetricPoints, range: TrendRange, ctx: Context): Relation {
  const { stepNs, overNs } = range;
  const { window, within } = endsOf(relation.window, range);
  const plan = rewrite(withSums(relation.plan, points.classic), (node) =>
    node.op === 'scan' ? { ...node, window } : node,
  );
  const input: Plan = points.alone(plan, 'metric_points') ?? {
    op: 'filter',
    input: plan,
    predicate: sql`isNull(${points.read('count')})`,
  };
  const make =
    (into: Definition[]) =>
    (value: Sql): Sql => {
      const id = ctx.fresh();
      into.push({ id, value });
      return column(id);
    };
  const made: Definition[] = [];
  const define = make(made);
  const near = neighboursOf(points, ctx, 'before');
  const nanoseconds = (time: Sql) => sql`toUnixTimestamp64Nano(toDateTime64(${time}, 9, 'UTC'))`;
  const at = define(nanoseconds(points.read('time')));
  const value = define(sql`toFloat64(${points.read('value')})`);
  const before = define(nanoseconds(near.before(points.read('time'))));
  const then = define(sql`toFloat64(${near.before(points.read('value'))})`);
  const isFirst = define(near.isFirst);
  const isDelta = define(sql`(${points.read('temporality')} = 'delta')`);
  const [bucket, end] = [ctx.fresh(), ctx.fresh()];
  const stepped: Plan = { op: 'extend', input: { op: 'window', input, columns: near.columns }, columns: made };
  const bucketed = intoEnds(stepped, at, { bucket, end }, within, range);

  const aggregates: Definition[] = [];
  const gather = make(aggregates);
  const [series, start, endOf] = [ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const about = carriedThrough(points, ctx);
  const result =
    range.fn === 'irate'
      ? lastRate(gather, {
          at,
          value,
          before,
          then,
          isFirst,
          isDelta,
          from: sql`(${column(end)} - ${integer(overNs)})`,
        })
      : range.fn === 'latest'
        ? lastValue(gather, { at, value, isMark: points.read('no_recorded_value') })
        : line(gather, { x: sql`((${at} - ${column(end)}) / 1e9)`, y: value }, range);
  const grouped: Plan = {
    op: 'aggregate',
    input: bucketed,
    keys: [
      { id: series, value: points.series },
      { id: start, value: column(bucket) },
      { id: endOf, value: column(end) },
    ],
    aggregates: [...aggregates, ...about.aggregates],
  };
  const found = ctx.fresh();
  return grownRelation(
    relation,
    points,
    {
      plan: {
        op: 'extend',
        input: { op: 'filter', input: grouped, predicate: result.isKnown },
        columns: [{ id: found, value: result.value }],
      },
      series,
      start,
      about: about.columns,
      value: column(found),
      count: NO_NUMBER,
      sum: NO_NUMBER,
      ...(stepNs === undefined ? {} : { stepNs, covers: coveredBy(relation.window, stepNs) }),
    },
    ctx,
  );
}

interface Result {
  readonly isKnown: Sql;
  readonly value: Sql;
}

interface LastPoint {
  readonly at: Sql;
  readonly value: Sql;
  readonly before: Sql;
  readonly then: Sql;
  readonly isFirst: Sql;
  readonly isDelta: Sql;
  /** The previous point must be later than this. */
  readonly from: Sql;
}

/** The rate between the last two points; a drop is a reset, after which the whole value is new. */
function lastRate(gather: (value: Sql) => Sql, { at, value, before, then, isFirst, isDelta, from }: LastPoint): Result {
  const growth = sql`if(${isDelta} OR ${value} < ${then}, ${value}, ${value} - ${then})`;
  const isKnown = gather(aggregate('argMax', [sql`(NOT ${isFirst} AND ${before} > ${from})`, at]));
  return { isKnown, value: gather(aggregate('argMax', [sql`(${growth} / ((${at} - ${before}) / 1e9))`, at])) };
}

function lastValue(
  gather: (value: Sql) => Sql,
  { at, value, isMark }: { readonly at: Sql; readonly value: Sql; readonly isMark: Sql },
): Result {
  const hasEnded = gather(aggregate('argMax', [isMark, at]));
  return { isKnown: sql`(NOT ${hasEnded})`, value: gather(aggregate('argMax', [value, at])) };
}

/** The least-squares line through all points; x is in seconds and is 0 at the end of the time. */
function line(gather: (value: Sql) => Sql, { x, y }: { readonly x: Sql; readonly y: Sql }, trend: Trend): Result {
  const sum = (of: Sql) => gather(aggregate('sumKahan', [of]));
  const n = gather(aggregate('count', []));
  const [sx, sy, sxy, sxx] = [sum(x), sum(y), sum(sql`(${x} * ${y})`), sum(sql`(${x} * ${x})`)];
  // Rounding would give a large constant a slope. Prometheus checks this too.
  const [low, high] = [gather(aggregate('min', [y])), gather(aggregate('max', [y]))];
  const isConstant = sql`(${low} = ${high} AND isFinite(${low}))`;
  const slope = sql`if(${isConstant}, 0., (${sxy} - ${sx} * ${sy} / ${n}) / (${sxx} - ${sx} * ${sx} / ${n}))`;
  const ahead = trend.fn === 'predict' ? Number(trend.aheadNs) / 1e9 : 0;
  const value = trend.fn === 'predict' ? sql`((${sy} - ${slope} * ${sx}) / ${n} + ${slope} * ${ahead})` : slope;
  return { isKnown: sql`(${n} > 1)`, value };
}
