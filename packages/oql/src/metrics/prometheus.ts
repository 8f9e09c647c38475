import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { rewrite } from '../rules/columns.ts';
import { aggregate, column, integer, type Sql, some, sql } from '../sql/sql.ts';
import type { PrometheusRange } from './buckets.ts';
import { withSums } from './classic.ts';
import { bucketDifferences, type Difference } from './differences.ts';
import { type Distribution, NO_DISTRIBUTION } from './distribution.ts';
import { carriedThrough, endsOf, intoEnds } from './ends.ts';
import { overGrid } from './grid.ts';
import { neighboursOf } from './neighbours.ts';
import { coveredBy, grownRelation } from './range.ts';
import { keysOf, shapeOf } from './shape.ts';

/** The numbers of a point, each of which grows. */
const NUMBERS = ['value', 'count', 'sum'] as const;

/**
 * One row for each series and bucket: the value of PromQL's `rate(x[over])` or `increase(x[over])` at the end of the
 * bucket (for the last one, at the end of the range if that is earlier). The rule is that of `extrapolatedRate` in
 * Prometheus' `promql/functions.go`, without its experimental start timestamps:
 *
 * - it uses the points of `(end - over, end]`, at least two; end-of-series markers are not points;
 * - a point below the previous one is a reset, and the count before it is kept;
 * - growth is extrapolated to an edge of the time that is nearer than 1.1 times the average distance of points, and by
 *   half that distance toward a farther edge, but never back beyond where the counter was 0.
 *
 * A point of delta temporality, which Prometheus does not have, is treated as a counter that restarts at each point. A
 * histogram is treated as a native one (with custom buckets, if its bounds are explicit): it is reset as a whole when any
 * bucket shrinks, its bounds change or its buckets get finer, and one factor, that of its count, applies to all of it.
 */
export function overPrometheusRange(
  relation: Relation,
  points: MetricPoints,
  range: PrometheusRange,
  ctx: Context,
): Relation {
  const { perSecond, stepNs, overNs } = range;
  const { window, within } = endsOf(relation.window, range);
  const input = rewrite(withSums(relation.plan, points.classic), (node) =>
    node.op === 'scan' ? { ...node, window } : node,
  );
  const ofNumbers = overGrid(relation, points, input, { window, within }, range, ctx);
  if (ofNumbers) return ofNumbers;

  const made: Definition[] = [];
  const define = (value: Sql): Sql => {
    const id = ctx.fresh();
    made.push({ id, value });
    return column(id);
  };
  const steps = stepsOf(points, ctx);
  const at = define(sql`toUnixTimestamp64Nano(toDateTime64(${points.read('time')}, 9, 'UTC'))`);
  const lost = new Map(NUMBERS.map((name) => [name, define(steps.lost(name))]));
  const shape = define(shapeOf(points.read));
  // A number has no buckets, not even empty ones: a quantile of numbers is the quantile of their values.
  const isNumber = sql`isNull(${points.read('count')})`;
  const counts = define(sql`if(${isNumber}, ${NO_DISTRIBUTION.counts}, map(${shape}, ${steps.grown}))`);
  const bucket = ctx.fresh();
  const end = ctx.fresh();
  const stepped: Plan = { op: 'extend', input: { op: 'window', input, columns: steps.columns }, columns: made };
  const bucketed = intoEnds(stepped, at, { bucket, end }, within, range);

  const aggregates: Definition[] = [];
  const gather = (fn: string, args: readonly Sql[]): Sql => {
    const id = ctx.fresh();
    aggregates.push({ id, value: aggregate(fn, args) });
    return column(id);
  };
  const series = ctx.fresh();
  const start = ctx.fresh();
  const endOf = ctx.fresh();
  const about = carriedThrough(points, ctx);
  const n = gather('count', []);
  const first = gather('min', [at]);
  const last = gather('max', [at]);
  const firsts = new Map<string, Sql>();
  const growths = NUMBERS.map((name): Sql => {
    const value = sql`toFloat64(${points.read(name)})`;
    const begun = gather('argMin', [value, at]);
    firsts.set(name, begun);
    const kept = lost.get(name) ?? value;
    // What a reset lost at the first point is before the time range.
    return sql`((${gather('argMax', [value, at])} - ${begun}) + (${gather('sum', [kept])} - ${gather('argMin', [kept, at])}))`;
  });
  const shapes = gather('anyMap', [
    sql`if(${isNumber}, ${NO_DISTRIBUTION.shapes}, map(${shape}, ${keysOf(points.read)}))`,
  ]);
  const all = gather('sumForEachMap', [counts]);
  const begun = gather('argMin', [counts, at]);
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

  const results: Definition[] = [];
  const result = (value: Sql): Sql => {
    const id = ctx.fresh();
    results.push({ id, value });
    return column(id);
  };
  const seconds = (nanoseconds: Sql) => sql`(${nanoseconds} / 1e9)`;
  const covered = result(seconds(sql`(${last} - ${first})`));
  const growth = growths.map(result);
  const [ofValue = covered, ofCount = covered] = growth;
  const factor = result(
    extrapolation({
      n,
      covered,
      toStart: seconds(sql`(${first} - (${column(endOf)} - ${integer(overNs)}))`),
      toEnd: seconds(sql`(${column(endOf)} - ${last})`),
      first: sql`coalesce(${firsts.get('value') ?? n}, ${firsts.get('count') ?? n})`,
      growth: sql`coalesce(${ofValue}, ${ofCount})`,
      over: perSecond ? Number(overNs) / 1e9 : 1,
    }),
  );
  const [value = factor, count = factor, sum = factor] = growth.map((of) => result(sql`(${of} * ${factor})`));
  const sinceBegun = sql`arrayMap((k, c) -> arrayMap((n, before) -> (n - before) * ${factor}, c, arrayResize(${begun}[k], length(c), 0)), mapKeys(${all}), mapValues(${all}))`;
  const distribution: Distribution = { shapes, counts: result(sql`mapFromArrays(mapKeys(${all}), ${sinceBegun})`) };
  const several: Plan = { op: 'filter', input: grouped, predicate: sql`(${n} > 1)` };
  return grownRelation(
    relation,
    points,
    {
      plan: { op: 'extend', input: several, columns: results },
      series,
      start,
      about: about.columns,
      value,
      count,
      sum,
      distribution,
      ...(stepNs === undefined ? {} : { stepNs, covers: coveredBy(relation.window, stepNs) }),
    },
    ctx,
  );
}

/** The changes between each point and the previous one: what a reset lost, and how the buckets grew. */
function stepsOf(points: MetricPoints, ctx: Context) {
  const { read } = points;
  const near = neighboursOf(points, ctx);
  const before = (name: string): Sql => near.before(read(name));
  const isDelta = sql`(${read('temporality')} = 'delta')`;
  const shrunk = (name: string) => sql`ifNull(${read(name)} < ${before(name)}, false)`;
  const differences = bucketDifferences(read, before);
  const shrinks = (side: 'positive' | 'negative') => {
    const grown = differences.exponential[side];
    const counts = sql`arrayMap(n -> toFloat64(n), ${read(`${side}_counts`)})`;
    const had = sql`arraySum(arrayMap(n -> toFloat64(n), ${before(`${side}_counts`)}))`;
    // A bucket that is no longer sent has shrunk too: then part of the previous counts is missing.
    return sql`(arrayExists(n -> n < 0, ${grown}) OR arraySum(${counts}) - arraySum(${grown}) < ${had})`;
  };
  const { explicit, exponential } = differences;
  const isReset = sql`multiIf(${some([shrunk('count'), shrunk('zero_count'), shrunk('zero_threshold')])}, true, NOT ${explicit.comparable}, true, arrayExists(n -> n < 0, ${explicit.difference}), true, NOT ${exponential.comparable}, true, ${some([shrinks('positive'), shrinks('negative')])})`;
  const begins = {
    value: sql`(${isDelta} OR ${shrunk('value')})`,
    histogram: sql`(${isDelta} OR ${isReset})`,
  };
  const grown = ({ now, difference }: Difference) => sql`if(${begins.histogram}, ${now}, ${difference})`;
  const ids = { value: before('value'), count: before('count'), sum: before('sum') };
  return {
    columns: near.columns,
    lost: (name: (typeof NUMBERS)[number]): Sql =>
      sql`if(${name === 'value' ? begins.value : begins.histogram}, ifNull(toFloat64(${ids[name]}), 0.), 0.)`,
    grown: sql`arrayConcat(${grown(explicit)}, ${grown(exponential)})`,
  };
}

interface Coverage {
  readonly n: Sql;
  /** From the first to the last point, in seconds like the other times. */
  readonly covered: Sql;
  readonly toStart: Sql;
  readonly toEnd: Sql;
  /** The first value, and how much it grew by the last point. */
  readonly first: Sql;
  readonly growth: Sql;
  readonly over: number;
}

/** The factor that scales a growth to the whole time range, or to one second of it. */
function extrapolation({ n, covered, toStart, toEnd, first, growth, over }: Coverage): Sql {
  const distance = sql`(${covered} / (${n} - 1))`;
  const within = (gap: Sql) => sql`if(${gap} >= ${distance} * 1.1, ${distance} / 2, ${gap})`;
  const toZero = sql`if(${growth} > 0 AND ${first} >= 0, ${covered} * (${first} / ${growth}), ${within(toStart)})`;
  const reached = sql`(${covered} + least(${within(toStart)}, ${toZero}) + ${within(toEnd)})`;
  return sql`(if(${covered} = 0, 1., ${reached} / ${covered}) / ${over})`;
}
