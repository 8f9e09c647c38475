import type { Context } from '../check/context.ts';
import type { MetricPoints, Relation } from '../check/relation.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { column, integer, type Sql, sql } from '../sql/sql.ts';
import { lookUpAgain } from './about.ts';
import { exactly, type PrometheusRange } from './buckets.ts';
import type { Ends } from './ends.ts';
import { coveredBy, grownRelation } from './range.ts';
import { withCopies } from './runs.ts';

const NO_NUMBER = sql`CAST(NULL, 'Nullable(Float64)')`;

/**
 * `promrate` where all points are cumulative numbers: one row for each series and bucket, from the engine's own version of Prometheus'
 * `rate`, which reads each point once and keeps the largest of several at the same time. Undefined if there may be other points.
 */
export function overGrid(
  relation: Relation,
  points: MetricPoints,
  input: Plan,
  times: { readonly window: Window; readonly within: Ends },
  range: PrometheusRange,
  ctx: Context,
): Relation | undefined {
  if (points.has('metric_histograms') || points.anySeries('delta', times.window) !== undefined) return undefined;
  const alone = points.alone(input, 'metric_points') ?? input;
  const copies = withCopies(points, alone);
  // Points may come in any order: they are gathered by series and sorted there.
  const unsorted = copies && withoutSort(copies);

  const { stepNs } = range;
  const { firstBucket, toNs } = times.within;
  const step = stepNs ?? toNs - firstBucket;
  const whole = (toNs - firstBucket) / step;
  const isLastShort = firstBucket + whole * step < toNs;
  const aggregates: Definition[] = [];
  const rates = (firstEnd: bigint, lastEnd: bigint) => {
    const id = ctx.fresh();
    aggregates.push({ id, value: rateToGrid(points, { firstEnd, lastEnd, step, overNs: range.overNs }) });
    return column(id);
  };
  const parts = [
    ...(whole > 0n ? [rates(firstBucket + step, firstBucket + whole * step)] : []),
    ...(isLastShort ? [rates(toNs, toNs)] : []),
  ];
  const [series, rate, start] = [ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const gathered: Plan = {
    op: 'aggregate',
    input: unsorted ?? alone,
    keys: [{ id: series, value: points.series }],
    aggregates,
  };
  const [all, starts] = [ctx.fresh(), ctx.fresh()];
  const count = integer(whole + (isLastShort ? 1n : 0n));
  const arrays: Plan = {
    op: 'extend',
    input: gathered,
    columns: [
      { id: all, value: parts.reduce((before, part) => sql`arrayConcat(${before}, ${part})`) },
      { id: starts, value: sql`range(toUInt64(${count}))` },
    ],
  };
  const index = ctx.fresh();
  const rows: Plan = {
    op: 'unnest',
    input: arrays,
    columns: [
      { id: rate, value: column(all) },
      { id: index, value: column(starts) },
    ],
  };
  const begin = sql`fromUnixTimestamp64Nano(${integer(firstBucket)} + toInt64(${column(index)}) * ${integer(step)}, 'UTC')`;
  const value = range.perSecond ? column(rate) : sql`(${column(rate)} * ${Number(range.overNs) / 1e9})`;
  const known: Plan = {
    op: 'extend',
    input: { op: 'filter', input: rows, predicate: sql`isNotNull(${column(rate)})` },
    columns: [{ id: start, value: stepNs === undefined ? exactly(firstBucket) : begin }],
  };
  const about = lookUpAgain(points, relation.plan, times.window);
  const plan: Plan = {
    op: 'join',
    mode: 'inner',
    lookup: true,
    left: known,
    right: about.plan,
    on: [{ left: column(series), right: column(about.series) }],
  };
  return grownRelation(
    relation,
    points,
    {
      plan,
      series,
      start,
      about: about.columns,
      value,
      count: NO_NUMBER,
      sum: NO_NUMBER,
      ...(stepNs === undefined ? {} : { stepNs, covers: coveredBy(relation.window, stepNs) }),
    },
    ctx,
  );
}

interface Grid {
  readonly firstEnd: bigint;
  readonly lastEnd: bigint;
  readonly step: bigint;
  readonly overNs: bigint;
}

function rateToGrid({ read }: MetricPoints, { firstEnd, lastEnd, step, overNs }: Grid): Sql {
  const seconds = (time: bigint) => sql`toDecimal64(${decimal(time)}, 9)`;
  const of = sql`(${exactly(firstEnd)}, ${exactly(lastEnd)}, ${seconds(step)}, ${seconds(overNs)})`;
  return sql`timeSeriesRateToGrid${of}(${read('time')}, toFloat64(${read('value')}))`;
}

/** Nanoseconds as seconds, written as text so that no digit is lost. */
function decimal(nanoseconds: bigint): Sql {
  const digits = String(nanoseconds % 1_000_000_000n).padStart(9, '0');
  return { kind: 'text', parts: [`'${nanoseconds / 1_000_000_000n}.${digits}'`], args: [] };
}

function withoutSort(plan: Plan): Plan {
  if (plan.op === 'sort') return plan.input;
  if (plan.op === 'filter' || plan.op === 'extend') return { ...plan, input: withoutSort(plan.input) };
  return plan.op === 'join' ? { ...plan, left: withoutSort(plan.left) } : plan;
}
