import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import { type Definition, type Plan, type Scan, scanColumn, type Window } from '../plan/plan.ts';
import { rewrite, substitute } from '../rules/columns.ts';
import { aggregate, type ColumnId, column, integer, moment, type Sql, sql } from '../sql/sql.ts';
import { withSums } from './classic.ts';

/** How far before a range every point is read, for the one that the first difference is computed from. */
export const ANCHOR_LOOKBACK_NS = 600_000_000_000n;

const HOUR_NS = 3_600_000_000_000n;

/**
 * How far before a range the points of series are read that have none in {@link ANCHOR_LOOKBACK_NS}: two hours, or a sixteenth of a longer
 * range, but two days at most. So a series that is exported every hour has an anchor, and over a week one that is exported every five.
 */
export function farLookback(rangeNs: bigint): bigint {
  const wanted = rangeNs / 16n;
  if (wanted < 2n * HOUR_NS) return 2n * HOUR_NS;
  return wanted > 48n * HOUR_NS ? 48n * HOUR_NS : wanted;
}

/** The points of a range, and the earlier points that differences are computed from. */
export interface Anchored {
  /** Points of number metrics. */
  readonly numbers: Plan;
  readonly histograms: Plan;
  /** The time window that every point is read of; it begins before the range. */
  readonly window: Window;
  readonly fromNs: bigint;
}

/**
 * Separates numbers from histograms: a series is one or the other, so comparisons of successive points run on each table
 * by itself, in its own order and without the columns that only the other has.
 */
interface AnchoredRange {
  readonly fromNs: bigint;
  readonly endNs: bigint;
  /** The statement fails where a series lacks an anchor in the ten minutes, so no more is read. */
  readonly isChecked?: boolean;
}

export function anchored(
  relation: Relation,
  points: MetricPoints,
  { fromNs, endNs, isChecked = false }: AnchoredRange,
  ctx: Context,
): Anchored {
  const lookback = fromNs - ANCHOR_LOOKBACK_NS;
  const far = fromNs - farLookback(endNs - fromNs);
  const earlier = ({ fromNs: begin }: Window): Window => ({
    fromNs: lookback < begin ? lookback : begin,
    toNs: endNs,
  });
  const near = { fromNs: lookback, toNs: fromNs };
  const plan = rewrite(withSums(relation.plan, points.classic), (node) => {
    if (node.op === 'scan') {
      const window = earlier(node.window);
      const isFar = !isChecked && isOfPoints(node) && far < window.fromNs;
      return { ...node, window: isFar ? { ...window, fromNs: far } : window };
    }
    return !isChecked && node.op === 'filter' && node.input.op === 'scan' && isOfPoints(node.input)
      ? sparseBefore(node.input, node.predicate, near, ctx)
      : node;
  });
  const hasCount = sql`isNotNull(${points.read('count')})`;
  return {
    numbers: points.alone(plan, 'metric_points') ?? { op: 'filter', input: plan, predicate: sql`(NOT ${hasCount})` },
    histograms: points.alone(plan, 'metric_histograms') ?? { op: 'filter', input: plan, predicate: hasCount },
    window: earlier(relation.window),
    fromNs,
  };
}

/**
 * Whether the statement may assume that each series has an anchor in {@link ANCHOR_LOOKBACK_NS}, or began in the range: see
 * {@link lacksAnchor}. Looking further costs half as much again. Histograms always do.
 */
export function mayAssumeAnchors(points: MetricPoints): boolean {
  return points.alike && !points.has('metric_histograms');
}

/** Whether the first point of a series is in the range, although the series began before. Times are arrays of nanoseconds. */
export function lacksAnchor(fromNs: bigint, times: Sql, starts: Sql): Sql {
  const from = integer(fromNs);
  return sql`(${times}[1] >= ${from} AND ${starts}[1] < ${from})`;
}

/**
 * One row for each series of {@link lacksAnchor} in a range. What it grew before its first point in the range is not counted; of a series of
 * delta temporality nothing is missing.
 */
export function anchorless(points: MetricPoints, range: Anchored, ctx: Context): Plan[] {
  const { read } = points;
  const tables = [
    ...(points.has('metric_points') ? [range.numbers] : []),
    ...(points.has('metric_histograms') ? [range.histograms] : []),
  ];
  return tables.map((input) => {
    const [series, first, start] = [ctx.fresh(), ctx.fresh(), ctx.fresh()];
    const from = moment(range.fromNs);
    const isDelta = isOfDelta(points, range, column(series));
    const lacks = sql`(${column(first)} >= ${from} AND ${column(start)} < ${from})`;
    return {
      op: 'filter',
      input: {
        op: 'aggregate',
        input,
        keys: [{ id: series, value: points.series }],
        aggregates: [
          { id: first, value: aggregate('min', [read('time')]) },
          { id: start, value: aggregate('argMin', [read('start_time'), read('time')]) },
        ],
      },
      predicate: isDelta ? sql`(${lacks} AND NOT ${isDelta})` : lacks,
    };
  });
}

function isOfPoints({ table }: Scan): boolean {
  return table === 'metric_points' || table === 'metric_histograms';
}

/**
 * Of the points before a time, only those of series without a point in the time after it: other series have an anchor there. The condition is
 * on the series and the time, so of the points that it leaves out nothing else is read.
 */
function sparseBefore(scan: Scan, predicate: Sql, near: Window, ctx: Context): Plan {
  const [time, series] = ['time', 'series'].map((name) => column(scanColumn(scan, name, ctx.fresh)));
  const { kinds: _, ...other } = scan;
  const own: Scan = { ...other, window: near, columns: new Map() };
  const renamed = new Map<ColumnId, Sql>();
  for (const [name, id] of scan.columns) renamed.set(id, column(scanColumn(own, name, ctx.fresh)));
  const found = ctx.fresh();
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'filter', input: own, predicate: substitute(predicate, renamed) },
    keys: [{ id: found, value: column(scanColumn(own, 'series', ctx.fresh)) }],
    aggregates: [],
  };
  const isNear = sql`${series ?? predicate} IN ${{ kind: 'query', plan, columns: [found] }}`;
  const isRead = sql`(${time ?? predicate} >= ${moment(near.fromNs)} OR NOT ${isNear})`;
  return { op: 'filter', input: scan, predicate: sql`(${predicate} AND ${isRead})` };
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
