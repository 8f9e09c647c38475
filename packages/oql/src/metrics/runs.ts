import type { Context } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Definition, Plan } from '../plan/plan.ts';
import { columnsOf } from '../rules/columns.ts';
import { aggregate, column, list, type Sql, sql } from '../sql/sql.ts';
import { assumed } from './assumption.ts';

/** The number points of each series as arrays of equal length, ordered by time without duplicates: one row for each series. */
export interface Runs {
  readonly plan: Plan;
  readonly series: Sql;
  /** Nanoseconds since the epoch. */
  readonly times: Sql;
  readonly values: Sql;
  /** Nanoseconds since the epoch; 0: not given. */
  readonly starts: Sql;
  /** The values that are integers beyond 2^53, otherwise 0; absent if there are none. */
  readonly integers?: Sql;
}

/**
 * Gathers points in the order of the table, which needs a merge of its parts and no sort, then checks the arrays in one pass.
 * Only a series whose times do not strictly rise (a point was sent twice, or rows came in another order) is sorted. It keeps
 * one point for each time: the one with the largest value, then the latest start, as `scanOf` does. Where points are assumed
 * to be alike, the statement fails instead, which makes it shorter.
 */
export function runsOf(points: MetricPoints, input: Plan, ctx: Context): Runs {
  const integers = ctx.types?.integers ? ctx.fresh() : undefined;
  const [series, times, values, starts] = [ctx.fresh(), ctx.fresh(), ctx.fresh(), ctx.fresh()];
  const nanoseconds = (time: Sql) => sql`toUnixTimestamp64Nano(${time})`;
  const gathered: Plan = {
    op: 'aggregate',
    input: withCopies(points, input) ?? input,
    keys: [{ id: series, value: points.series }],
    aggregates: [
      { id: times, value: aggregate('groupArray', [nanoseconds(points.read('time'))]) },
      { id: values, value: aggregate('groupArray', [points.read('value')]) },
      { id: starts, value: aggregate('groupArray', [nanoseconds(points.read('start_time'))]) },
      ...(integers === undefined ? [] : [{ id: integers, value: aggregate('groupArray', [points.read('integer')]) }]),
    ],
    inOrder: true,
  };
  if (points.alike) {
    const isMixed = sql`arrayExists(d -> d <= 0, arrayPopFront(arrayDifference(${column(times)})))`;
    return {
      plan: { op: 'filter', input: gathered, predicate: sql`(NOT ${assumed(isMixed, 'alike')})` },
      series: column(series),
      times: column(times),
      values: column(values),
      starts: column(starts),
      ...(integers !== undefined && { integers: column(integers) }),
    };
  }
  const [isMixed, mended] = [ctx.fresh(), ctx.fresh()];
  const gatheredArrays = [times, values, starts, ...(integers === undefined ? [] : [integers])];
  const checked: Plan = {
    op: 'extend',
    input: gathered,
    columns: [
      { id: isMixed, value: sql`(arrayMin(arrayPopFront(arrayDifference(${column(times)}))) <= 0)` },
      {
        id: mended,
        value: sql`if(${column(isMixed)}, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(${list(gatheredArrays.map(column))})))), [])`,
      },
    ],
    apart: true,
  };
  const columns = gatheredArrays.map(
    (of, i): Definition => ({
      id: ctx.fresh(),
      value: sql`if(${column(isMixed)}, tupleElement(${column(mended)}, ${i + 1}), ${column(of)})`,
    }),
  );
  const [ofTimes = series, ofValues = series, ofStarts = series, ofIntegers] = columns.map(({ id }) => id);
  return {
    plan: { op: 'extend', input: checked, columns, apart: true },
    series: column(series),
    times: column(ofTimes),
    values: column(ofValues),
    starts: column(ofStarts),
    ...(ofIntegers !== undefined && { integers: column(ofIntegers) }),
  };
}

/**
 * The same points, still in order, including those sent twice; undefined if a condition above reads points rather than
 * their series, because it must see each time once.
 */
export function withCopies(points: MetricPoints, plan: Plan): Plan | undefined {
  const ofSeries = new Set([...points.about.map(points.read), points.series].flatMap((value) => [...columnsOf(value)]));
  const below = (node: Plan): Plan | undefined => {
    switch (node.op) {
      case 'distinct': {
        if (node.input.op !== 'sort') return undefined;
        // After series and time, the order only decides which of several points counts.
        const orders = node.input.orders.filter(({ descending }) => !descending);
        return { ...node.input, orders };
      }
      case 'filter': {
        const isOfSeries = [...columnsOf(node.predicate)].every((id) => ofSeries.has(id));
        const input = isOfSeries ? below(node.input) : undefined;
        return input && { ...node, input };
      }
      case 'extend': {
        const input = below(node.input);
        return input && { ...node, input };
      }
      case 'join': {
        const left = node.lookup ? below(node.left) : undefined;
        return left && { ...node, left };
      }
      default:
        return undefined;
    }
  };
  return below(plan);
}
