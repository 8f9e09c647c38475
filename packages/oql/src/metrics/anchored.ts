import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { rewrite } from '../rules/columns.ts';
import { column, moment, type Sql, sql } from '../sql/sql.ts';
import { withSums } from './classic.ts';

/** How far before a range the point is looked for that its first difference is taken from. */
export const ANCHOR_LOOKBACK_NS = 600_000_000_000n;

/** The points of a range and those before it that differences are taken from. */
export interface Anchored {
  /** Points of number metrics. */
  readonly numbers: Plan;
  readonly histograms: Plan;
  /** The time that is read: its beginning lies before that of the range. */
  readonly window: Window;
  readonly fromNs: bigint;
}

/**
 * Numbers and histograms apart: a series is either, so all that is asked of one point after another is asked of each
 * table by itself, in its own order and without the columns that only the other has.
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

/** Whether a series began in the range, so that all it has counted is new. */
export function beginsInRange({ read }: MetricPoints, { fromNs }: Anchored): Sql {
  return sql`(${read('start_time')} >= ${moment(fromNs)})`;
}

/**
 * Whether a point's series is of delta temporality: those few, if any, are looked up, so that points need not be joined with
 * what their series are. Undefined where it is known that none is.
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

/** Points with what is computed of each by itself, before its neighbours are looked at; `isDelta` is undefined where no series is. */
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
