import { aggregate, type Sql, sql } from '../sql/sql.ts';

/**
 * The buckets of one histogram, as arrays of equal length. Explicit ones have their two bounds as key; exponential ones
 * their scale, sign and index, and end at the index-th and next power of 2^(2^-scale).
 */
export interface Distribution {
  readonly explicitKeys: Sql;
  readonly explicitCounts: Sql;
  readonly exponentialKeys: Sql;
  readonly exponentialCounts: Sql;
}

/**
 * A quantile of all histograms of a group; null where they have counted nothing.
 *
 * Buckets are added up by their bounds; exponential ones are brought to the smallest scale of the group. Between bounds
 * counts are taken as evenly spread: on a straight line in an explicit bucket (as Prometheus' `histogram_quantile`), on
 * a logarithmic one in an exponential bucket (as Prometheus does for native histograms). What lies above the last bound
 * is reported as that bound, and the first bucket begins at 0 where its bound is positive. A zero bucket ends at 0 on a
 * side that has no other bucket, and a rank between two exponential buckets means the upper one from the median on, as
 * in Prometheus.
 */
export function distributionQuantile(level: number, of: Distribution): Sql {
  const explicit = aggregate('sumMap', [of.explicitKeys, of.explicitCounts]);
  const exponential = aggregate('sumMap', [of.exponentialKeys, of.exponentialCounts]);
  return bind2('e', explicit, 'x', exponential, fromMaps(level));
}

/** Whether a group has any bucket at all, so that it is about histograms and not about numbers. */
export function hasDistribution(of: Distribution): Sql {
  const explicit = aggregate('sumMap', [of.explicitKeys, of.explicitCounts]);
  const exponential = aggregate('sumMap', [of.exponentialKeys, of.exponentialCounts]);
  return sql`(length(${explicit}.1) + length(${exponential}.1) > 0)`;
}

type Letter = 'e' | 'x' | 's' | 'b' | 'p' | 't' | 'i';
const NAMES: Readonly<Record<Letter, Sql>> = {
  e: sql`e`,
  x: sql`x`,
  s: sql`s`,
  b: sql`b`,
  p: sql`p`,
  t: sql`t`,
  i: sql`i`,
};

/** `body` with a name for a value: SQL has no other way to use a value twice without computing it twice. */
function bind(name: Letter, value: Sql, body: Sql): Sql {
  return sql`arrayMap(${NAMES[name]} -> ${body}, [${value}])[1]`;
}

function bind2(first: Letter, value: Sql, second: Letter, other: Sql, body: Sql): Sql {
  return sql`arrayMap((${NAMES[first]}, ${NAMES[second]}) -> ${body}, [${value}], [${other}])[1]`;
}

/** How much of what a bucket `v` = (low, high, count, is exponential) has counted lies at or below `y`. */
const SHARE = sql`multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1))`;
const COUNT_BELOW = sql`arraySum(v -> v.3 * ${SHARE}, b)`;
/** The same without what sits on `y` itself: buckets without a width are all at one place. */
const COUNT_BEFORE = sql`arraySum(v -> if(v.1 = v.2 AND y <= v.2, 0., v.3 * ${SHARE}), b)`;

function fromMaps(level: number): Sql {
  const counted = (that: Sql) => sql`arrayExists((k, c) -> c > 0 AND ${that}, x.1, x.2)`;
  const isExponential = counted(sql`true`);
  // The largest width of a step between exponential buckets: 2^-(smallest scale). Buckets that have not grown say nothing.
  const step = sql`if(${isExponential}, exp2(-arrayMin((k, c) -> if(c > 0, k.1, 127), x.1, x.2)), 1.)`;
  const onlySide = (only: Sql, other: Sql) => sql`(k.1 = -k.2 AND ${counted(only)} AND NOT ${counted(other)})`;
  const [positive, negative] = [sql`k.2 > 0`, sql`k.2 < 0`];
  const zeroFrom = sql`if(${onlySide(positive, negative)}, 0., k.1)`;
  const zeroTo = sql`if(${onlySide(negative, positive)}, 0., k.2)`;
  const explicit = sql`arrayMap((k, c) -> (${zeroFrom}, ${zeroTo}, toFloat64(c), false), e.1, e.2)`;
  const index = sql`floor(k.3 * exp2(-k.1) / s)`;
  const low = sql`exp2(${index} * s)`;
  const high = sql`exp2((${index} + 1) * s)`;
  const exponential = sql`arrayMap((k, c) -> if(k.2 > 0, (${low}, ${high}, toFloat64(c), true), (-${high}, -${low}, toFloat64(c), true)), x.1, x.2)`;
  const buckets = sql`arrayFilter(v -> v.3 > 0, arrayConcat(${explicit}, ${exponential}))`;
  const bounds = sql`arraySort(arrayDistinct(arrayConcat(arrayMap(v -> v.1, b), arrayMap(v -> v.2, b))))`;
  const wanted = sql`(${level} * arraySum(v -> v.3, b))`;
  const place = sql`arrayFirstIndex(y -> ${COUNT_BELOW} >= t * 0.999999999999, p)`;
  const body = bind('i', place, level < 0.5 ? INTERPOLATED : fromAbove(isExponential));
  return bind('s', step, bind('b', buckets, sql`if(empty(b), NULL, ${bind2('p', bounds, 't', wanted, body)})`));
}

const INTERPOLATED = (() => {
  const at = (y: Sql, count: Sql) => sql`arrayMap(y -> ${count}, [${y}])[1]`;
  const from = sql`p[i - 1]`;
  const to = sql`p[i]`;
  const before = at(from, COUNT_BELOW);
  const upTo = at(to, COUNT_BEFORE);
  const share = sql`((t - ${before}) / (${upTo} - ${before}))`;
  const isLinear = sql`(${from} * ${to} <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < ${to} AND v.2 > ${from}, b))`;
  const between = sql`if(${isLinear}, ${from} + (${to} - ${from}) * ${share}, ${from} * pow(${to} / ${from}, ${share}))`;
  return sql`multiIf(i = 0, p[-1], i = 1, p[1], t >= ${upTo} OR ${upTo} <= ${before}, ${to}, ${between})`;
})();

/** A rank that all of several bounds are at lies in the bucket above them. */
function fromAbove(isExponential: Sql): Sql {
  const last = sql`arrayLastIndex(y -> ${COUNT_BEFORE} <= t * 1.000000000001, p)`;
  return sql`if(i > 0 AND ${isExponential} AND ${last} > i, p[${last}], ${INTERPOLATED})`;
}
