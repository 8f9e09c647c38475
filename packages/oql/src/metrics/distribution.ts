import { aggregate, type Sql, sql } from '../sql/sql.ts';
import { explicitKeysOf, exponentialKeysOf } from './shape.ts';

/**
 * The buckets of one histogram, or of several: for each shape of buckets (see `shapeOf`) what they are, and what they
 * have counted. Two histograms of one shape, which nearly all of a metric are, are added up number by number.
 */
export interface Distribution {
  /** By the hash of a shape, its description. */
  readonly shapes: Sql;
  /** By the hash of a shape, the counts of its explicit buckets, of the zero bucket, the positive and the negative ones. */
  readonly counts: Sql;
}

/** What a row has that is no histogram. */
export const NO_DISTRIBUTION: Distribution = {
  shapes: sql`CAST(map(), 'Map(UInt64, Tuple(Array(Float64), UInt64, Float64, Int8, Int32, UInt64, Int32, UInt64))')`,
  counts: sql`CAST(map(), 'Map(UInt64, Array(Float64))')`,
};

/** The buckets of all rows of a group. */
export function mergedDistribution({ shapes, counts }: Distribution): Distribution {
  return { shapes: aggregate('anyMap', [shapes]), counts: aggregate('sumForEachMap', [counts]) };
}

/**
 * A quantile of all histograms of a group; null where they have counted nothing, and `otherwise` where there is none.
 *
 * Buckets are added up by their bounds; exponential ones are brought to the smallest scale of the group. Between bounds
 * counts are taken as evenly spread: on a straight line in an explicit bucket (as Prometheus' `histogram_quantile`), on
 * a logarithmic one in an exponential bucket (as Prometheus does for native histograms). What lies above the last bound
 * is reported as that bound, and the first bucket begins at 0 where its bound is positive. A zero bucket ends at 0 on a
 * side that has no other bucket, and a rank between two exponential buckets means the upper one from the median on, as
 * in Prometheus.
 */
export function distributionQuantile(level: number, of: Distribution, otherwise: Sql): Sql {
  const { shapes, counts } = mergedDistribution(of);
  return inSteps(sql`(${shapes}, ${counts}, ${otherwise})`, [
    BY_KEY,
    BY_BOUNDS,
    ends(level),
    COUNTED,
    PLACE,
    quantileAt(level),
  ]);
}

/**
 * One value after another, each a function of the one before it, which is called `q` in it. Names for them all around one
 * expression (lambdas in lambdas, or aliases used in aliases) are beyond what the engine can analyse in good time: for
 * these it took longer than for the query.
 */
function inSteps(first: Sql, steps: readonly Sql[]): Sql {
  return steps.reduce((value, step) => sql`arrayMap(q -> ${step}, [${value}])[1]`, first);
}

/** (shapes, counts, otherwise) → (explicit, exponential, otherwise): keys and counts of buckets. */
const BY_KEY = (() => {
  const shared = (keys: Sql, share: Sql) =>
    sql`arrayReduce('sumMap', arrayMap(d -> ${keys}, mapValues(q.1)), arrayMap((k, d) -> ${share}, mapKeys(q.1), mapValues(q.1)))`;
  // The counts of the explicit buckets and of the zero bucket come first.
  const explicit = shared(explicitKeysOf(sql`d`), sql`arraySlice(q.2[k], 1, d.2 + 1)`);
  const exponential = shared(exponentialKeysOf(sql`d`), sql`arraySlice(q.2[k], d.2 + 2)`);
  return sql`(${explicit}, ${exponential}, q.3)`;
})();

/** (explicit, exponential, otherwise) → (buckets with their bounds, are any exponential, is there none, otherwise). */
const BY_BOUNDS = (() => {
  const counted = (that: Sql) => sql`arrayExists((k, c) -> c > 0 AND ${that}, q.2.1, q.2.2)`;
  // The largest width of a step between exponential buckets: 2^-(smallest scale). Buckets that have not grown say nothing.
  const width = sql`if(${counted(sql`true`)}, exp2(-arrayMin((k, c) -> if(c > 0, k.1, 127), q.2.1, q.2.2)), 1.)`;
  const onlySide = (only: Sql, other: Sql) => sql`(k.1 = -k.2 AND ${counted(only)} AND NOT ${counted(other)})`;
  const [positive, negative] = [sql`k.2 > 0`, sql`k.2 < 0`];
  const zeroFrom = sql`if(${onlySide(positive, negative)}, 0., k.1)`;
  const zeroTo = sql`if(${onlySide(negative, positive)}, 0., k.2)`;
  const explicit = sql`arrayMap((k, c) -> (${zeroFrom}, ${zeroTo}, toFloat64(c), false), q.1.1, q.1.2)`;
  const index = sql`floor(k.3 * exp2(-k.1) / s)`;
  const low = sql`exp2(${index} * s)`;
  const high = sql`exp2((${index} + 1) * s)`;
  const bounded = sql`arrayMap((k, c, s) -> if(k.2 > 0, (${low}, ${high}, toFloat64(c), true), (-${high}, -${low}, toFloat64(c), true)), q.2.1, q.2.2, arrayWithConstant(length(q.2.1), ${width}))`;
  const isNone = sql`(length(q.1.1) + length(q.2.1) = 0)`;
  return sql`(arrayFilter(v -> v.3 > 0, arrayConcat(${explicit}, ${bounded})), ${counted(sql`true`)}, ${isNone}, q.3)`;
})();

/** How much of what a bucket `v` = (low, high, count, is exponential) has counted lies at or below `y`. */
const SHARE = sql`multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1))`;

/** (buckets, …) → (buckets, …, all ends of theirs, the rank that is looked for). */
function ends(level: number): Sql {
  const all = sql`arraySort(arrayDistinct(arrayConcat(arrayMap(v -> v.1, q.1), arrayMap(v -> v.2, q.1))))`;
  return sql`(q.1, q.2, q.3, q.4, ${all}, ${level} * arraySum(v -> v.3, q.1))`;
}

/** (buckets, …, ends, rank) → (…, for each end what is counted up to it, and the same without what sits on it). */
const COUNTED = (() => {
  const upTo = sql`arrayMap(y -> arraySum(v -> v.3 * ${SHARE}, q.1), q.5)`;
  // Buckets without a width are all at one place.
  const before = sql`arrayMap(y -> arraySum(v -> if(v.1 = v.2 AND y <= v.2, 0., v.3 * ${SHARE}), q.1), q.5)`;
  return sql`(q.1, q.2, q.3, q.4, q.5, q.6, ${upTo}, ${before})`;
})();

/** … → (…, the first end that the rank is at or below, the last one that it is at or above). */
const PLACE = (() => {
  const first = sql`arrayFirstIndex((n, t) -> n >= t * 0.999999999999, q.7, arrayWithConstant(length(q.7), q.6))`;
  const last = sql`arrayLastIndex((n, t) -> n <= t * 1.000000000001, q.8, arrayWithConstant(length(q.8), q.6))`;
  return sql`(q.1, q.2, q.3, q.4, q.5, q.6, q.7, q.8, ${first}, ${last})`;
})();

/** … → the value at the rank. */
function quantileAt(level: number): Sql {
  const [buckets, isExponential, rank, at, last] = [sql`q.1`, sql`q.2`, sql`q.6`, sql`q.9`, sql`q.10`];
  const end = (index: Sql) => sql`q.5[${index}]`;
  const [from, to] = [end(sql`${at} - 1`), end(at)];
  const [least, most] = [sql`q.7[${at} - 1]`, sql`q.8[${at}]`];
  const share = sql`((${rank} - ${least}) / (${most} - ${least}))`;
  const isLinear = sql`(${from} * ${to} <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < ${to} AND v.2 > ${from}, ${buckets}))`;
  const between = sql`if(${isLinear}, ${from} + (${to} - ${from}) * ${share}, ${from} * pow(${to} / ${from}, ${share}))`;
  const within = sql`multiIf(${at} = 0, ${end(sql`-1`)}, ${at} = 1, ${end(sql`1`)}, ${rank} >= ${most} OR ${most} <= ${least}, ${to}, ${between})`;
  // A rank that all of several ends are at lies in the exponential bucket above them.
  const value =
    level < 0.5 ? within : sql`if(${at} > 0 AND ${isExponential} AND ${last} > ${at}, ${end(last)}, ${within})`;
  return sql`multiIf(q.3, q.4, empty(${buckets}), NULL, ${value})`;
}
