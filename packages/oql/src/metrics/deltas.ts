import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { rewrite } from '../rules/columns.ts';
import { column, moment, type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';
import type { Distribution } from './distribution.ts';

/** How far before a range the point is looked for that its first difference is taken from. */
export const ANCHOR_LOOKBACK_NS = 600_000_000_000n;

/** What each point has added since the point before it. */
export interface Deltas {
  readonly plan: Plan;
  /** The time that is read: its beginning lies before that of the range. */
  readonly window: Window;
  readonly value: Sql;
  readonly count: Sql;
  readonly sum: Sql;
  readonly distribution: Distribution;
  readonly terms: ExplicitTerms;
}

/**
 * How much the explicit buckets of points with the same ones have grown together, without a difference for each point:
 * the sum of the counts that are added, less the sum of those of the point before that are subtracted.
 */
export interface ExplicitTerms {
  readonly counts: Sql;
  readonly countsBefore: Sql;
  readonly zero: Sql;
  readonly zeroBefore: Sql;
  readonly isAdded: Sql;
  readonly isSubtracted: Sql;
}

/**
 * The differences between the points of each series, from `fromNs` on.
 *
 * A point of delta temporality is its own difference. A cumulative one counts from the point before it; where that is
 * larger or began to count earlier, the series was reset, and all of the value is new. A series that begins inside of
 * the range counts from 0. A series that began earlier and has no point to count from adds nothing: what it had counted
 * before cannot be known, and nothing is extrapolated. `delta` is the plain difference, which may be negative.
 */
export function deltasOf(
  fn: RangeFunction,
  relation: Relation,
  points: MetricPoints,
  fromNs: bigint,
  ctx: Context,
): Deltas {
  const { read } = points;
  const lookback = fromNs - ANCHOR_LOOKBACK_NS;
  const window = {
    fromNs: lookback < relation.window.fromNs ? lookback : relation.window.fromNs,
    toNs: relation.window.toNs,
  };
  const input = rewrite(relation.plan, (node) =>
    node.op === 'scan'
      ? { ...node, window: { ...node.window, fromNs: lookback < node.window.fromNs ? lookback : node.window.fromNs } }
      : node,
  );
  const definitions: Definition[] = [];
  const define = (value: Sql): Sql => {
    const id = ctx.fresh();
    definitions.push({ id, value });
    return column(id);
  };
  const known = new Map<string, Sql>();
  const before = (name: string): Sql => {
    const found = known.get(name) ?? define(valueBefore(points, name));
    known.set(name, found);
    return found;
  };
  const isFirst = define(sql`(count() ${beside(points)} = 1)`);
  const restarted = sql`(${read('start_time')} > ${before('start_time')})`;
  const begins = sql`(${read('start_time')} >= ${moment(fromNs)})`;
  const isDelta = isOfDelta(points, window);
  const difference = (now: Sql, then: Sql, dropped: Sql) => {
    if (fn === 'delta') return sql`multiIf(${isDelta}, ${now}, ${isFirst}, 0., ${now} - ${then})`;
    return sql`multiIf(${isDelta} OR (${isFirst} AND ${begins}), ${now}, ${isFirst}, ${now} * 0, ${restarted} OR ${dropped}, ${now}, ${now} - ${then})`;
  };
  const number = (name: string) => {
    const then = before(name);
    const dropped = name === 'sum' ? sql`(${read('count')} < ${before('count')})` : sql`(${read(name)} < ${then})`;
    return difference(sql`toFloat64(${read(name)})`, then, dropped);
  };
  const value = number('value');
  const count = number('count');
  const sum = number('sum');
  const marks = { isDelta, isFirst, begins, restarted };
  const distribution = distributionDeltas(points, before, marks);
  const terms = explicitTerms(points, before, marks);
  const windowed: Plan = { op: 'window', input, columns: definitions };
  const made = [
    value,
    count,
    sum,
    distribution.explicitCounts,
    distribution.exponentialCounts,
    terms.isAdded,
    terms.isSubtracted,
  ].map((of): Definition => ({ id: ctx.fresh(), value: of }));
  const inRange: Plan = {
    op: 'filter',
    input: { op: 'extend', input: windowed, columns: made },
    predicate: sql`(${read('time')} >= ${moment(fromNs)})`,
  };
  const [
    grown = value,
    countGrown = count,
    sumGrown = sum,
    explicitCounts = value,
    exponentialCounts = value,
    isAdded = value,
    isSubtracted = value,
  ] = made.map(({ id }) => column(id));
  return {
    plan: inRange,
    window,
    value: grown,
    count: countGrown,
    sum: sumGrown,
    distribution: { ...distribution, explicitCounts, exponentialCounts },
    terms: { ...terms, isAdded, isSubtracted },
  };
}

/** A column of the point before in its series; what is empty for the type of the column where there is none. */
export function valueBefore(points: MetricPoints, name: string): Sql {
  return sql`lagInFrame(${points.read(name)}) ${beside(points)}`;
}

/** One window for all that is asked of a point and the one before it: then they are found in one go. */
function beside({ read, series }: MetricPoints): Sql {
  return sql`OVER (PARTITION BY ${series} ORDER BY ${read('time')} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`;
}

/** Whether a point's series is of delta temporality: those few are looked up, so that points need not be joined with what their series are. */
function isOfDelta({ series, lookup, anySeries }: MetricPoints, window: Window): Sql {
  const about = lookup(window);
  const plan: Plan = {
    op: 'filter',
    input: about.plan,
    predicate: sql`(${column(about.columns.get('temporality') ?? about.series)} = 'delta')`,
  };
  const any = anySeries((read) => sql`(${read('temporality')} = 'delta')`, window);
  return sql`if(${any}, ${series} IN ${{ kind: 'query', plan, columns: [about.series] }}, false)`;
}

interface Marks {
  readonly isDelta: Sql;
  readonly isFirst: Sql;
  readonly begins: Sql;
  readonly restarted: Sql;
}

/** The keys of a point's buckets, and how much each has grown. */
function distributionDeltas(points: MetricPoints, before: (name: string) => Sql, marks: Marks): Distribution {
  const { read } = points;
  const keys = distributionOf({ read });
  const isWhole = isCountedWhole(points, before, marks);
  const grown = (now: Sql, comparable: Sql, difference: Sql) =>
    sql`multiIf(${isWhole}, ${now}, ${marks.isFirst}, arrayMap(n -> 0., ${now}), ${comparable}, ${difference}, ${now})`;
  const { explicit, exponential } = bucketDifferences(points, before);
  const exponentialCounts = grown(keys.exponentialCounts, exponential.comparable, exponential.difference);
  return {
    ...keys,
    explicitCounts: grown(keys.explicitCounts, explicit.comparable, explicit.difference),
    // A function over no element or one: for a histogram without exponential buckets, which most are, nothing is computed.
    exponentialCounts: sql`arrayMap(z -> ${exponentialCounts}, range(toUInt8(notEmpty(${read('positive_counts')}) OR notEmpty(${read('negative_counts')}))))[1]`,
  };
}

/** Whether all that a point has counted is new. */
function isCountedWhole({ read }: MetricPoints, before: (name: string) => Sql, marks: Marks): Sql {
  return sql`(${marks.isDelta} OR (${marks.isFirst} AND ${marks.begins}) OR (NOT ${marks.isFirst} AND (${marks.restarted} OR ${read('count')} < ${before('count')})))`;
}

/** The terms of `distributionDeltas`' sum. */
function explicitTerms(points: MetricPoints, before: (name: string) => Sql, marks: Marks): ExplicitTerms {
  const isWhole = isCountedWhole(points, before, marks);
  const { comparable } = bucketDifferences(points, before).explicit;
  return {
    counts: points.read('bucket_counts'),
    countsBefore: before('bucket_counts'),
    zero: points.read('zero_count'),
    zeroBefore: before('zero_count'),
    isAdded: sql`(NOT ${marks.isFirst} OR ${isWhole})`,
    isSubtracted: sql`(NOT ${marks.isFirst} AND NOT ${isWhole} AND ${comparable})`,
  };
}

/** How much each bucket of a point holds more than the same one of the point before, where the two can be compared. */
export function bucketDifferences({ read }: Pick<MetricPoints, 'read'>, before: (name: string) => Sql) {
  const { explicitCounts } = distributionOf({ read });
  const zeroBefore = sql`toFloat64(${before('zero_count')})`;
  const explicitBefore = sql`arrayPushBack(arrayMap(n -> toFloat64(n), ${before('bucket_counts')}), ${zeroBefore})`;
  const sameBounds = sql`(${before('bounds')} = ${read('bounds')} AND length(${before('bucket_counts')}) = length(${read('bucket_counts')}))`;
  const scaleBefore = before('scale');
  const side = (sign: 'positive' | 'negative'): Sql => {
    const then = sign === 'positive' ? before('positive_counts') : before('negative_counts');
    const offset = sign === 'positive' ? before('positive_offset') : before('negative_offset');
    const now = sign === 'positive' ? read('positive_counts') : read('negative_counts');
    const start = sign === 'positive' ? read('positive_offset') : read('negative_offset');
    // The point before may be of a larger scale: its buckets are brought to this one's, which halves their index each step.
    const index = sql`bitShiftRight(toInt32(${offset} + j - 1), ${scaleBefore} - ${read('scale')})`;
    const there = sql`arraySum((n, j) -> if(${index} = ${start} + i - 1, toFloat64(n), 0.), ${then}, arrayEnumerate(${then}))`;
    return sql`arrayMap((c, i) -> if(empty(${then}), toFloat64(c), toFloat64(c) - ${there}), ${now}, arrayEnumerate(${now}))`;
  };
  const [positive, negative] = [side('positive'), side('negative')];
  return {
    explicit: {
      comparable: sameBounds,
      difference: sql`arrayMap((a, b) -> a - b, ${explicitCounts}, ${explicitBefore})`,
    },
    exponential: {
      comparable: sql`(${scaleBefore} >= ${read('scale')})`,
      positive,
      negative,
      difference: sql`arrayConcat(${positive}, ${negative})`,
    },
  };
}

/** What two points have in common that have the same buckets: all that the keys of `distributionOf` are made of. */
export function shapeOf({ read }: Pick<MetricPoints, 'read'>): Sql {
  return sql`cityHash64(${read('bounds')}, length(${read('bucket_counts')}), ${read('zero_threshold')}, ${read('scale')}, ${read('positive_offset')}, length(${read('positive_counts')}), ${read('negative_offset')}, length(${read('negative_counts')}))`;
}

/** The buckets of a point as they are stored; the zero bucket goes with the explicit ones, since it lies between two bounds. */
export function distributionOf({ read }: Pick<MetricPoints, 'read'>): Distribution {
  const bounds = read('bounds');
  const low = sql`if(i = 1, if(${bounds}[1] > 0, 0., ${bounds}[1]), ${bounds}[i - 1])`;
  const high = sql`if(i > length(${bounds}), ${bounds}[-1], ${bounds}[i])`;
  const explicit = sql`arrayMap((n, i) -> (toFloat64(${low}), toFloat64(${high})), ${read('bucket_counts')}, arrayEnumerate(${read('bucket_counts')}))`;
  const zero = sql`(-${read('zero_threshold')}, ${read('zero_threshold')})`;
  const indexes = (sign: Sql, counts: Sql, offset: Sql) =>
    sql`arrayMap(i -> (toInt8(${read('scale')}), toInt8(${sign}), toInt32(${offset} + i - 1)), arrayEnumerate(${counts}))`;
  const floats = (counts: Sql) => sql`arrayMap(n -> toFloat64(n), ${counts})`;
  return {
    explicitKeys: sql`arrayPushBack(${explicit}, ${zero})`,
    explicitCounts: sql`arrayPushBack(${floats(read('bucket_counts'))}, toFloat64(${read('zero_count')}))`,
    exponentialKeys: sql`arrayConcat(${indexes(sql`1`, read('positive_counts'), read('positive_offset'))}, ${indexes(sql`-1`, read('negative_counts'), read('negative_offset'))})`,
    exponentialCounts: sql`arrayConcat(${floats(read('positive_counts'))}, ${floats(read('negative_counts'))})`,
  };
}
