import { type Sql, sql } from '../sql/sql.ts';

/** The buckets of one side of an exponential histogram. */
interface Side {
  readonly counts: Sql;
  /** The index of the first bucket. */
  readonly offset: Sql;
  readonly scale: Sql;
}

/**
 * The counts of exponential buckets in the buckets of a scale that is not larger: floats, `length` of them from the index `offset` on.
 * Each step of the scale halves the index of a bucket, so that neighbors fall together, and buckets stay in their order. A lambda that
 * searched the counts for each bucket would be simpler, but the engine copies them for each bucket that it searches for: 200 KiB for
 * one point of 160 buckets.
 */
export function atScale(
  { counts, offset, scale }: Side,
  to: { readonly scale: Sql; readonly offset: Sql; readonly length: Sql },
): Sql {
  const index = (of: Sql) => sql`bitShiftRight(toInt64(${of}), least(greatest(${scale} - ${to.scale}, 0), 63))`;
  const indices = sql`arrayMap(j -> ${index(sql`${offset} + j - 1`)}, arrayEnumerate(${counts}))`;
  const merged = sql`arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, ${counts}, arrayDifference(${indices})))`;
  const first = index(offset);
  const zeros = sql`arrayWithConstant(least(greatest(${first} - ${to.offset}, 0), ${to.length}), 0.)`;
  const within = sql`arraySlice(${merged}, greatest(${to.offset} - ${first}, 0) + 1)`;
  return sql`arrayResize(arrayConcat(${zeros}, ${within}), toUInt64(${to.length}), 0.)`;
}
