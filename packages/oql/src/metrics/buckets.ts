import { integer, type Sql, sql } from '../sql/sql.ts';

/** The time span of a range function. */
export interface RangeSpan {
  /** The width of the buckets in the stages that follow; absent if there are none: then the range is one bucket. */
  readonly stepNs?: bigint;
  /** How far a bucket looks back from its end; defaults to its width. */
  readonly overNs: bigint;
  /** When a bucket is evaluated that is not over: the end of the range, or now if that is earlier. */
  readonly endNs: bigint;
  /** Each point counts in the bucket that it is in, so that buckets add up to the whole range: the last one is only as long as its part of the range. */
  readonly adds?: boolean;
}

export interface PrometheusRange extends RangeSpan {
  readonly perSecond: boolean;
}

const SECOND_NS = 1_000_000_000n;

/** The buckets that a point counts in: only one, unless buckets have a lookback longer than their width. */
export type BucketsOf =
  | { readonly kind: 'whole'; readonly start: Sql }
  | { readonly kind: 'one'; readonly start: (time: Sql) => Sql; readonly stepNs: bigint }
  /** One bucket per point; it begins at the point. */
  | { readonly kind: 'each'; readonly start: (time: Sql) => Sql }
  | {
      readonly kind: 'many';
      /** An array of the buckets' start times. */
      readonly starts: (time: Sql) => Sql;
      /** All points of one cell of this width belong to the same buckets, unless `cutNs` is inside of it. */
      readonly cellNs: bigint;
      /** Where the lookback of a last bucket begins that ends early; the cell that it is in consists of two. */
      readonly cutNs?: bigint;
    };

/** The buckets whose lookback from their end contains a point; none that begins when the range ends, or now. */
export function bucketsOf(firstBucket: bigint, { stepNs, overNs, endNs, adds }: RangeSpan): BucketsOf {
  if (stepNs === undefined) return { kind: 'whole', start: exactly(firstBucket) };
  const step = integer(stepNs);
  const nanoseconds = (time: Sql) => sql`toUnixTimestamp64Nano(toDateTime64(${time}, 9, 'UTC'))`;
  const own = (time: Sql) => sql`intDiv(${nanoseconds(time)}, ${step})`;
  const begin = (index: Sql) => sql`fromUnixTimestamp64Nano(${index} * ${step}, 'UTC')`;
  const isLastShort = !adds && endNs % stepNs !== 0n;
  const isOwn = overNs === stepNs && !isLastShort;
  if (isOwn && stepNs % SECOND_NS === 0n)
    return {
      kind: 'one',
      start: (time) => sql`toStartOfInterval(${time}, toIntervalSecond(${integer(stepNs / SECOND_NS)}))`,
      stepNs,
    };
  if (isOwn) return { kind: 'one', start: (time) => begin(own(time)), stepNs };
  // A point at t belongs to each bucket k with (k + 1) · step - over <= t < (k + 1) · step.
  const last = (time: Sql) => sql`intDiv(${nanoseconds(time)} + ${integer(overNs)}, ${step}) - 1`;
  const all = (time: Sql) =>
    sql`arrayMap(k -> ${begin(sql`toInt64(k)`)}, range(toUInt64(${own(time)}), toUInt64(${last(time)}) + 1))`;
  const lastStart = isLastShort ? endNs - (endNs % stepNs) : endNs;
  const whole = (time: Sql) =>
    sql`arrayFilter(b -> b >= ${exactly(firstBucket)} AND b < ${exactly(lastStart)}, ${all(time)})`;
  const cellNs = commonDivisor(stepNs, overNs);
  if (!isLastShort) return { kind: 'many', starts: whole, cellNs };
  const cutNs = endNs - overNs;
  const starts = (time: Sql) =>
    sql`arrayConcat(${whole(time)}, if(${time} >= ${exactly(cutNs)}, [${exactly(lastStart)}], []))`;
  return { kind: 'many', starts, cellNs, cutNs };
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}

export function exactly(nanoseconds: bigint): Sql {
  return sql`fromUnixTimestamp64Nano(${integer(nanoseconds)}, 'UTC')`;
}
