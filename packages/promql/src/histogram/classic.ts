import type { Monotonicity } from '../annotations.ts';

/** A bucket of a classic histogram, which counts all observations up to its bound. */
export interface ClassicBucket {
  readonly upper: number;
  count: number;
}

/** Relative differences below it come from rounding, and are ignored. */
const SMALL_DIFFERENCE = 1e-12;

export interface ClassicQuantile {
  readonly value: number;
  /** Counts fell from one bucket to the next, which was corrected. */
  readonly forced?: Monotonicity;
}

/** The quantile of buckets in the order of their bounds, as Prometheus' `BucketQuantile` (`promql/quantile.go`). */
export function classicQuantile(quantile: number, unordered: readonly ClassicBucket[]): ClassicQuantile {
  if (Number.isNaN(quantile)) return { value: Number.NaN };
  if (quantile < 0) return { value: Number.NEGATIVE_INFINITY };
  if (quantile > 1) return { value: Number.POSITIVE_INFINITY };
  const buckets = coalesced(unordered);
  if (buckets.at(-1)?.upper !== Number.POSITIVE_INFINITY) return { value: Number.NaN };
  const forced = makeMonotonic(buckets);
  const value = valueAt(quantile, buckets);
  return { value, ...(forced && { forced }) };
}

function valueAt(quantile: number, buckets: readonly ClassicBucket[]): number {
  const observations = buckets.at(-1)?.count ?? 0;
  if (buckets.length < 2 || observations === 0) return Number.NaN;
  const rank = quantile * observations;
  const finite = buckets.slice(0, -1);
  const found = finite.findIndex(({ count }) => count >= rank);
  const bucket = finite[found];
  if (bucket === undefined) return finite.at(-1)?.upper ?? Number.NaN;
  const before = finite[found - 1];
  if (before === undefined && bucket.upper <= 0) return bucket.upper;
  const [lower, below] = [before?.upper ?? 0, before?.count ?? 0];
  return lower + (bucket.upper - lower) * ((rank - below) / (bucket.count - below));
}

/** The share of observations between two values, as Prometheus' `BucketFraction`. */
export function classicFraction(lower: number, upper: number, unordered: readonly ClassicBucket[]): number {
  const buckets = coalesced(unordered);
  const last = buckets.at(-1);
  if (last?.upper !== Number.POSITIVE_INFINITY || last.count === 0) return Number.NaN;
  if (Number.isNaN(lower) || Number.isNaN(upper)) return Number.NaN;
  if (lower >= upper) return 0;
  const rank = (value: number) => Math.min(rankOf(value, buckets) ?? last.count, last.count);
  return (rank(upper) - rank(lower)) / last.count;
}

function rankOf(value: number, buckets: readonly ClassicBucket[]): number | undefined {
  let lower = (buckets[0]?.upper ?? 0) <= 0 ? Number.NEGATIVE_INFINITY : 0;
  let rank = 0;
  for (const { upper, count } of buckets) {
    if (lower >= value) return rank;
    if (upper > value)
      return lower === Number.NEGATIVE_INFINITY ? count : rank + ((count - rank) * (value - lower)) / (upper - lower);
    rank = count;
    lower = upper;
  }
  return undefined;
}

/** In the order of their bounds, those with the same bound added up. */
function coalesced(buckets: readonly ClassicBucket[]): ClassicBucket[] {
  const result: ClassicBucket[] = [];
  for (const { upper, count } of [...buckets].sort((a, b) => (a.upper === b.upper ? 0 : a.upper < b.upper ? -1 : 1))) {
    const last = result.at(-1);
    if (last !== undefined && last.upper === upper) last.count += count;
    else result.push({ upper, count });
  }
  return result;
}

/** Raises counts that are below those before them. */
function makeMonotonic(buckets: readonly ClassicBucket[]): Monotonicity | undefined {
  let forced: Monotonicity | undefined;
  let before = buckets[0]?.count ?? 0;
  for (const bucket of buckets.slice(1)) {
    const { count, upper } = bucket;
    if (count === before) continue;
    if (isAlmostEqual(before, count)) bucket.count = before;
    else if (count < before) {
      bucket.count = before;
      forced = {
        minBucket: Math.min(forced?.minBucket ?? upper, upper),
        maxBucket: Math.max(forced?.maxBucket ?? upper, upper),
        maxDifference: Math.max(forced?.maxDifference ?? 0, before - count),
      };
    } else before = count;
  }
  return forced;
}

function isAlmostEqual(a: number, b: number): boolean {
  if (Number.isNaN(a) && Number.isNaN(b)) return true;
  const [sum, difference] = [Math.abs(a) + Math.abs(b), Math.abs(a - b)];
  if (a === 0 || b === 0 || sum < 2 ** -1022) return difference < SMALL_DIFFERENCE * 2 ** -1022;
  return difference / Math.min(sum, Number.MAX_VALUE) < SMALL_DIFFERENCE;
}
