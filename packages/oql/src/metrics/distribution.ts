import { aggregate, NULL, type Sql, sql } from '../sql/sql.ts';
import { assumed } from './assumption.ts';
import { EXPLICIT, explicitKeysOf } from './shape.ts';

/** The buckets of one histogram, or of several. */
export type Distribution = DistributionByShape | SharedBounds;

/** Explicit buckets that are assumed to have the same bounds in all rows of a group. */
export interface SharedBounds {
  readonly bounds: Sql;
  /** The smallest and the largest hash of the bounds among a row's histograms. */
  readonly hash: { readonly low: Sql; readonly high: Sql };
  /** One element more than `bounds`. */
  readonly counts: Sql;
}

/**
 * The buckets of one histogram, or of several: their keys and counts for each shape of buckets (see `shapeOf`). Histograms
 * of one shape are summed element by element; nearly all histograms of a metric have the same shape.
 */
export interface DistributionByShape {
  /** The keys of the buckets (see `keysOf`) by the hash of their shape. */
  readonly shapes: Sql;
  /** The counts of the buckets by the hash of their shape, in the order of the keys. */
  readonly counts: Sql;
  /** Whether all buckets are known to be explicit. */
  readonly explicit?: boolean;
  /** Whether `shapes` has the bounds of explicit buckets, from which the keys can be derived. */
  readonly ofBounds?: boolean;
  /** Whether every row is known to have a distribution. */
  readonly everywhere?: boolean;
  /** Whether buckets may come from Prometheus' classic histograms, whose counts need not rise from one bound to the next. */
  readonly classic?: boolean;
}

/** The distribution of a row that is not a histogram. */
export const NO_DISTRIBUTION: DistributionByShape = {
  shapes: sql`CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))')`,
  counts: sql`CAST(map(), 'Map(UInt64, Array(Float64))')`,
};

/** The buckets of all rows of a group. */
export function mergedDistribution({ shapes, counts }: DistributionByShape): DistributionByShape {
  return { shapes: aggregate('anyMap', [shapes]), counts: aggregate('sumForEachMap', [counts]) };
}

/**
 * A quantile of all histograms of a group; null if they counted nothing, and `numbers` if the group has no histogram.
 *
 * Buckets are summed by their bounds; exponential ones are converted to the smallest scale of the group. Within a bucket
 * counts are assumed to be evenly spread: linearly in an explicit bucket (as in Prometheus' `histogram_quantile`),
 * logarithmically in an exponential bucket (as Prometheus does for native histograms). A quantile above the last bound is
 * reported as that bound, and the first bucket begins at 0 if its bound is positive; null if a bucket has no bounds at all.
 * A zero bucket ends at 0 on a side that has no other bucket. From the median up, a rank between two exponential buckets
 * belongs to the upper one, as in Prometheus.
 */
export function distributionQuantile(level: number, of: Distribution, numbers: Sql): Sql {
  if ('bounds' in of) return sharedQuantile(level, of);
  const steps = [COUNTED, ...bounded(of), ENDED, ranked(level), summed(of), PLACED, valueAt(level, of)];
  return inSteps(bucketsByKey(of, of.everywhere ? NULL : numbers), steps);
}

/** One end of a range of values; absent if the range is open on that side. */
export interface End {
  readonly at: Sql;
  /** Whether the value itself belongs to the range. */
  readonly inclusive: boolean;
}

/**
 * How many observations of all histograms of a group lie in a range of values, and how many there are in total, as one
 * tuple of floats; the first is NaN if a bucket without any bounds has counted. Within a bucket, observations are assumed
 * to be spread as for a quantile, so this is its inverse: the rule of Prometheus' `histogram_fraction`. Observations in a
 * bucket with an infinite end lie beyond any finite value.
 */
export function distributionWithin(of: Distribution, { lower, upper }: Part): Sql {
  const below = (end: End, otherwise: Sql) => sql`if(isInfinite(${end.at}), ${otherwise}, ${belowOf(of, end)})`;
  const total = sql`arraySum(q.1.3)`;
  const to = upper ? below(upper, sql`if(${upper.at} > 0, ${total}, 0.)`) : total;
  const from = lower ? below(lower, sql`if(${lower.at} > 0, ${total}, 0.)`) : sql`0.`;
  const unknown = sql`arrayExists(v -> v.1 = -inf AND v.2 = inf, q.1)`;
  const within = sql`if(${unknown}, (nan, ${total}), (greatest(${to} - ${from}, 0.), ${total}))`;
  return inSteps(bucketsByKey(of, NULL), [COUNTED, ...bounded(of), within]);
}

/** The bounds of all rows of a group; the statement fails if they differ or are not all finite. */
function sharedBounds({ bounds, hash: { low, high } }: SharedBounds): Sql {
  const any = aggregate('any', [bounds]);
  const differ = sql`(${aggregate('min', [low])} != ${aggregate('max', [high])} OR NOT isFinite(arraySum(${any})))`;
  return sql`if(${assumed(differ, 'alike')}, [], ${any})`;
}

/**
 * The same quantile where all bounds are equal: buckets do not overlap, so the rank lies in the first bucket whose
 * cumulative count reaches it.
 */
function sharedQuantile(level: number, of: SharedBounds): Sql {
  // (bounds, cumulative counts of the buckets) → (ends of buckets, the rank, the bucket of the rank)
  const ends = sql`arrayPushFront(b, least(b[1], 0.))`;
  const rank = sql`(${level} * u[-1])`;
  const first = sql`arrayFirstIndex(n -> n > 0 AND n >= ${level} * u[-1] * 0.999999999999, u)`;
  const between = sql`e[i] + (e[i + 1] - e[i]) * (r - u[i - 1]) / (u[i] - u[i - 1])`;
  // A quantile above the last bound is reported as that bound; without any bounds it is null.
  const value = sql`multiIf(i = 0 OR empty(b), NULL, r >= u[i] OR i > length(b), e[least(i + 1, length(e))], ${between})`;
  const upTo = sql`arrayCumSum(n -> greatest(n, 0.), ${aggregate('sumForEach', [of.counts])})`;
  return sql`arrayMap((b, u) -> arrayMap((e, r, i) -> ${value}, [${ends}], [${rank}], [${first}])[1], [${sharedBounds(of)}], [${upTo}])[1]`;
}

export interface Part {
  readonly lower?: End;
  readonly upper?: End;
}

/** How many observations lie below a value. */
function belowOf(of: Distribution, { at, inclusive }: End): Sql {
  const whole = inclusive ? sql`v.2 <= ${at}` : sql`(v.2 < ${at} OR (v.2 = ${at} AND v.1 < v.2))`;
  const curved = isExplicit(of) ? sql`` : sql`v.4, log(${at} / v.1) / log(v.2 / v.1), `;
  return sql`arraySum(v -> v.3 * multiIf(${whole}, 1., v.1 >= ${at} OR isInfinite(v.2 - v.1), 0., ${curved}(${at} - v.1) / (v.2 - v.1)), q.1)`;
}

/** (keys and counts of all buckets of a group, otherwise), each key once. */
function bucketsByKey(of: Distribution, otherwise: Sql): Sql {
  if ('bounds' in of) {
    const keys = explicitKeysOf(
      () => sql`b`,
      () => sql`length(c)`,
    );
    return sql`arrayMap((b, c, o) -> ((${keys}, c), o), [${sharedBounds(of)}], [${aggregate('sumForEach', [of.counts])}], [${otherwise}])[1]`;
  }
  const { shapes, counts } = mergedDistribution(of);
  // Both maps have the same keys. A lambda that looked them up would copy the whole map for each of them.
  const [described, counted] = [sql`mapValues(mapSort(k))`, sql`mapValues(mapSort(c))`];
  const keys = of.ofBounds
    ? sql`arrayMap((b, n) -> ${explicitKeysOf(
        () => sql`b`,
        () => sql`length(n)`,
      )}, ${described}, ${counted})`
    : described;
  const each = of.classic ? sql`arrayMap(n -> ${rising(sql`n`)}, ${counted})` : counted;
  return sql`arrayMap((k, c, o) -> (arrayReduce('sumMap', ${keys}, ${each}), o), [${shapes}], [${counts}], [${otherwise}])[1]`;
}

/**
 * The counts of buckets in the order of their bounds, none negative: a cumulative count below the previous bound's is
 * raised to it (Prometheus' `ensureMonotonic`).
 */
function rising(counts: Sql): Sql {
  const upTo = sql`arrayMap(i -> arrayMax(arraySlice(s, 1, i)), arrayEnumerate(s))`;
  return sql`arrayMap(s -> arrayMap((m, b) -> m - b, s, arrayPopBack(arrayPushFront(s, 0.))), [arrayMap(s -> ${upTo}, [arrayCumSum(arrayMap(n -> ifNull(n, 0.), ${counts}))])[1]])[1]`;
}

/** Whether every row is known to be a histogram. */
export function isEverywhere(of: Distribution): boolean {
  return 'bounds' in of || of.everywhere === true;
}

function isExplicit(of: Distribution): boolean {
  return 'bounds' in of || of.explicit === true;
}

function bounded(of: Distribution): readonly Sql[] {
  return isExplicit(of) ? [BOUNDED_EXPLICIT] : [SCALED, BOUNDED];
}

/**
 * Computes values in steps; each step reads the previous value as `q`. The alternative is to name all values around one
 * expression (nested lambdas, or aliases used in aliases), but the engine cannot analyze that in reasonable time: it took
 * longer than running the query.
 */
function inSteps(first: Sql, steps: readonly Sql[]): Sql {
  return steps.reduce((value, step) => sql`arrayMap(q -> ${step}, [${value}])[1]`, first);
}

/** (keys and counts, otherwise) → (key and count of each non-empty bucket, are there no buckets at all, otherwise). */
const COUNTED = sql`(arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2)`;

/**
 * → (the same, the largest step width of exponential buckets, are there positive ones, negative ones). The width is
 * 2^-(smallest scale). Buckets that have not grown do not count.
 */
const SCALED = sql`(q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < ${EXPLICIT} AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < ${EXPLICIT} AND v.1.1 < 0, q.1))`;

/** → (buckets as (low, high, count, is exponential), are any exponential, are there no buckets at all, otherwise). */
const BOUNDED = (() => {
  const isZero = sql`(v.1.1 = -v.1.2 AND isFinite(v.1.2))`;
  const low = sql`if(${isZero} AND q.3 AND NOT q.4, 0., v.1.1)`;
  const high = sql`if(${isZero} AND q.4 AND NOT q.3, 0., v.1.2)`;
  const [near, far] = [sql`exp2(j * q.2)`, sql`exp2((j + 1) * q.2)`];
  const curved = sql`arrayMap(j -> if(v.1.1 > 0, (${near}, ${far}, v.2, true), (-${far}, -${near}, v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1]`;
  return sql`(arrayMap(v -> if(v.1.3 < ${EXPLICIT}, ${curved}, (${low}, ${high}, v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3)`;
})();

/** The same directly after `COUNTED`, for explicit buckets only. */
const BOUNDED_EXPLICIT = sql`(arrayMap(v -> (v.1.1, v.1.2, v.2, false), q.1), false, q.2, q.3)`;

/** → the same; a bucket with one infinite end gets its finite end on both sides, and one with two infinite ends gets NaN. */
const ENDED = sql`(arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4)`;

/** → (buckets, all of their ends, the wanted rank, the previous tuple). */
function ranked(level: number): Sql {
  // A zero bucket without a threshold ends at -0 and 0, which are one end.
  return sql`(q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), ${level} * arraySum(q.1.3), q)`;
}

/** → (the previous tuple, (the count up to each end, the count that zero-width buckets have at each end)). */
function summed(of: DistributionByShape): Sql {
  return sql`(q, if(${IS_APART}, ${summedApart()}, ${summedOverlapping(of)}))`;
}

/** Whether no two buckets overlap, but for those with the same ends. */
const IS_APART = (() => {
  const sorted = sql`arraySort(v -> (v.1, v.2), q.1)`;
  return sql`arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(${sorted}), arrayPopFront(${sorted}))`;
})();

/** One pass over the ends: no bucket is divided by the end of another. */
function summedApart(): Sql {
  const ends = sql`arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))`;
  // Of equal ends, the sums up to the last one count.
  const last = sql`arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))`;
  const upTo = (part: 2 | 3) => sql`arrayFilter((n, l) -> l, arrayCumSum(e -> e.${part}, e), ${last})`;
  const on = sql`arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [${upTo(3)}])[1]`;
  return sql`arrayMap(e -> (${upTo(2)}, ${on}), [${ends}])[1]`;
}

/** Looks at each bucket for each end: the engine copies the buckets for each of them. */
function summedOverlapping(of: DistributionByShape): Sql {
  // The share of a bucket's count at or below `y`.
  const curved = of.explicit ? sql`` : sql`v.4, log(y / v.1) / log(v.2 / v.1), `;
  const share = sql`multiIf(y >= v.2, 1., y <= v.1, 0., ${curved}(y - v.1) / (v.2 - v.1))`;
  const upTo = sql`arrayMap(y -> arraySum(v -> v.3 * ${share}, q.1), q.2)`;
  const on = sql`arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)`;
  return sql`(${upTo}, ${on})`;
}

/** → (ends, counts up to and just before each, the rank, the first end it is at or below, the last it is at or above, (buckets, …)). */
const PLACED = (() => {
  const before = sql`arrayMap((n, z) -> n - z, q.2.1, q.2.2)`;
  const first = sql`arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1)`;
  const last = sql`arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2)`;
  return sql`(q.1.2, q.2.1, ${before}, q.1.3, ${first}, ${last}, q.1.4)`;
})();

/** → the value at the rank. */
function valueAt(level: number, { explicit }: DistributionByShape): Sql {
  const share = sql`((t - n) / (m - n))`;
  const isLinear = sql`(a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1))`;
  const straight = sql`a + (b - a) * ${share}`;
  const between = explicit ? straight : sql`if(${isLinear}, ${straight}, a * pow(b / a, ${share}))`;
  // The two ends around the rank, the count up to the lower one, and the count before the upper one.
  const within = sql`arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, ${between}), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]`;
  // A rank shared by several ends lies in the exponential bucket above them.
  const fromAbove = level < 0.5 || explicit ? sql`` : sql`q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], `;
  return sql`multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, ${fromAbove}q.5 = 0, q.1[-1], q.5 = 1, q.1[1], ${within})`;
}
