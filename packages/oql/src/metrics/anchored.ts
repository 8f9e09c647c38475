import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { rewrite } from '../rules/columns.ts';
import { column, moment, type Sql, sql } from '../sql/sql.ts';
import { withSums } from './classic.ts';

/** How far before a range to look for the point that the first difference is computed from. */
export const ANCHOR_LOOKBACK_NS = 600_000_000_000n;

/** The points of a range, and the earlier points that differences are computed from. */
export interface Anchored {
  /** Points of number metrics. */
  readonly numbers: Plan;
  readonly histograms: Plan;
  /** The time window that is read; it begins before the range. */
  readonly window: Window;
  readonly fromNs: bigint;
}

/**
 * Separates numbers from histograms: a series is one or the other, so comparisons of successive points run on each table
 * by itself, in its own order and without the columns that only the other has.
 */
export function anchored(relation: Relation, points: MetricPoints, fromNs: bigint): Anchored {
  const lookback = fromNs - ANCHOR_LOOKBACK_NS;
  const earlier = ({ fromNs: begin, toNs }: Window): Window => ({ fromNs: lookback < begin ? lookback : begin, toNs });
  const plan = rewrite(withSums(relation.plan, points.classic), (node) =>
    node.op === 'scan' ? { ...node, window: earlier(node.window) } : node,
  );
  const hasCount = sql`isNotNull(${points.read('count')})`;
  return {
    numbers: points.alone(plan, 'metric_points') ?? { op: 'filter', input: plan, predicate: sql`(NOT ${hasCount})` },
    histograms: points.alone(plan, 'metric_histograms') ?? { op: 'filter', input: plan, predicate: hasCount },
    window: earlier(relation.window),
    fromNs,
  };
}

export function isInRange({ read }: MetricPoints, { fromNs }: Anchored): Sql {
  return sql`(${read('time')} >= ${moment(fromNs)})`;
}

/** Whether a series began in the range, so that its whole count is new. */
export function beginsInRange({ read }: MetricPoints, { fromNs }: Anchored): Sql {
  return sql`(${read('start_time')} >= ${moment(fromNs)})`;
}

/**
 * Whether a point's series has delta temporality. Looks up those few series, if any, so that points need not be joined with
 * the metadata of their series. Undefined if it is known that no series has.
 */
export function isOfDelta(
  { lookup, anySeries }: Pick<MetricPoints, 'lookup' | 'anySeries'>,
  { window }: Anchored,
  series: Sql,
): Sql | undefined {
  const any = anySeries('delta', window);
  if (any === undefined) return undefined;
  const about = lookup(window);
  const plan: Plan = {
    op: 'filter',
    input: about.plan,
    predicate: sql`(${column(about.columns.get('temporality') ?? about.series)} = 'delta')`,
  };
  return sql`materialize(if(${any}, ${series} IN ${{ kind: 'query', plan, columns: [about.series] }}, false))`;
}

/** Points with the columns that are computed per point, before its neighbors are read; `isDelta` is undefined if no series is delta. */
export function withDelta(
  points: MetricPoints,
  range: Anchored,
  input: Plan,
  columns: readonly Definition[],
  ctx: Context,
): { readonly input: Plan; readonly isDelta: Sql | undefined } {
  const value = isOfDelta(points, range, points.series);
  const id = ctx.fresh();
  const all = value ? [{ id, value }, ...columns] : columns;
  return {
    input: all.length === 0 ? input : { op: 'extend', input, columns: all },
    isDelta: value && column(id),
  };
}
