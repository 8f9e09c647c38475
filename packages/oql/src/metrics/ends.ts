import type { Context } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { aggregate, type ColumnId, integer, type Sql, sql } from '../sql/sql.ts';
import { exactly, type RangeSpan } from './buckets.ts';

/** Buckets that are evaluated at their ends: the start of the first one, and when the last one is evaluated. */
export interface Ends {
  readonly firstBucket: bigint;
  readonly toNs: bigint;
}

/** The time window to read for buckets evaluated at their ends: a bucket's time includes its end and excludes its beginning. */
export function endsOf(window: Window, span: RangeSpan): { window: Window; within: Ends } {
  const { overNs, endNs } = span;
  const { firstBucket, firstEnd } = firstOf(window, span);
  return {
    window: { fromNs: firstEnd - overNs + 1n, toNs: endNs + 1n },
    within: { firstBucket, toNs: endNs },
  };
}

/** When the first bucket of a window begins, and when it is evaluated. */
export function firstOf({ fromNs }: Window, { stepNs, endNs }: Pick<RangeSpan, 'stepNs' | 'endNs'>) {
  const firstBucket = stepNs === undefined ? fromNs : fromNs - (fromNs % stepNs);
  return { firstBucket, firstEnd: stepNs === undefined ? endNs : earlier(firstBucket + stepNs, endNs) };
}

/** The end of a window, or now if that is earlier: what is to come has not been measured. A window that lies in the future is left as it is. */
export function overBy({ fromNs, toNs }: Window, nowNs: bigint): bigint {
  return nowNs > fromNs ? earlier(toNs, nowNs) : toNs;
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The metadata of a series is the same at every point, so it is taken from any of them. */
export function carriedThrough(points: MetricPoints, ctx: Context) {
  const columns: ReadonlyMap<string, ColumnId> = new Map(points.about.map((name) => [name, ctx.fresh()]));
  const aggregates = [...columns].map(
    ([name, id]): Definition => ({ id, value: aggregate('any', [points.read(name)]) }),
  );
  return { columns, aggregates };
}

/** One row for each point and each bucket whose time `(end - over, end]` contains it. */
export function intoEnds(
  input: Plan,
  at: Sql,
  ids: { readonly bucket: ColumnId; readonly end: ColumnId },
  within: Ends,
  { stepNs, overNs }: RangeSpan,
): Plan {
  if (stepNs === undefined) {
    const columns = [
      { id: ids.bucket, value: exactly(within.firstBucket) },
      { id: ids.end, value: sql`toInt64(${integer(within.toNs)})` },
    ];
    return { op: 'extend', input, columns };
  }
  const step = integer(stepNs);
  const over = integer(overNs);
  const begin = sql`toInt64(k) * ${step}`;
  const end = sql`least(${begin} + ${step}, ${integer(within.toNs)})`;
  // One bucket more than the point can belong to, because the last may end early.
  const from = sql`toUInt64(intDiv(${at} - 1, ${step}))`;
  const to = sql`toUInt64(intDiv(${at} - 1 + ${over}, ${step}) + 1)`;
  const isIn = sql`(${begin} >= ${integer(within.firstBucket)} AND ${begin} < ${integer(within.toNs)} AND ${at} <= ${end} AND ${at} > ${end} - ${over})`;
  const buckets = sql`arrayFilter(k -> ${isIn}, range(${from}, ${to}))`;
  const columns = [
    { id: ids.bucket, value: sql`arrayMap(k -> fromUnixTimestamp64Nano(${begin}, 'UTC'), ${buckets})` },
    { id: ids.end, value: sql`arrayMap(k -> ${end}, ${buckets})` },
  ];
  return { op: 'unnest', input, columns };
}
