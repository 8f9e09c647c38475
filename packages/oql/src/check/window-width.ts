import { overBy } from '../metrics/ends.ts';
import { integer, sql } from '../sql/sql.ts';
import type { Context } from './context.ts';
import type { Bucket, Column, Relation } from './relation.ts';
import { constant, type Value } from './value.ts';

/**
 * The value of `window`, which rates divide by: the part of the row's bucket, or of the whole range, that lies in the range and is over.
 * A bucket that the range begins or ends in would otherwise show a rate that drops. 0 for a bucket that is yet to come; undefined for days
 * and months of a time zone, which have no fixed width.
 * @param start the column with the beginnings of the buckets
 */
export function windowOf(
  { window, covers }: Relation,
  bucket: Bucket | undefined,
  start: Column | undefined,
  { nowNs }: Context,
): Value | undefined {
  if (bucket?.calendar) return undefined;
  const duration = (value: bigint) => constant({ type: 'duration', value });
  if (!bucket) return duration(overBy(window, nowNs) - window.fromNs);
  const { widthNs } = bucket;
  const covered = covers ?? window;
  // The last bucket of a range function looks back over a whole width.
  const looksBack = covered.toNs > window.toNs;
  const endNs = looksBack ? covered.toNs : overBy(covered, nowNs);
  const endsWhole = looksBack || (endNs === covered.toNs && endNs % widthNs === 0n);
  if (!start || (endsWhole && covered.fromNs % widthNs === 0n)) return duration(widthNs);
  const begin = sql`toUnixTimestamp64Nano(toDateTime64(${start.value.sql}, 9, 'UTC'))`;
  const part = sql`(least(${begin} + ${integer(widthNs)}, ${integer(endNs)}) - greatest(${begin}, ${integer(covered.fromNs)}))`;
  return { type: 'duration', sql: sql`greatest(${part}, 0)`, nullable: start.value.nullable };
}
