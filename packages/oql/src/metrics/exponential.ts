import type { Context } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Definition } from '../plan/plan.ts';
import { column, list, type Sql, sql } from '../sql/sql.ts';
import type { Anchored } from './anchored.ts';
import { NO_DISTRIBUTION } from './distribution.ts';
import type { Neighbours } from './neighbours.ts';
import { atScale } from './scale.ts';
import { explicitShapeOf, type Read, shapeOf } from './shape.ts';

/** The fields that only exponential histograms have, with their values for other histograms. */
const OF_EXPONENTIAL: Readonly<Record<string, Sql>> = {
  scale: sql`toInt8(0)`,
  zero_count: sql`toUInt64(0)`,
  zero_threshold: sql`0.`,
  positive_offset: sql`toInt32(0)`,
  positive_counts: sql`CAST([], 'Array(UInt64)')`,
  negative_offset: sql`toInt32(0)`,
  negative_counts: sql`CAST([], 'Array(UInt64)')`,
};

/** The counts of a point, converted to the buckets of the next point where that has another shape. */
export interface Change {
  readonly isOne: Sql;
  /** What to subtract, as negative numbers by that shape. */
  readonly counts: Sql;
}

export interface Shaped {
  /** Columns to compute before a window. */
  readonly columns: readonly Definition[];
  readonly read: Read;
  readonly shape: Sql;
  /** Undefined where only buckets of one shape are comparable. */
  readonly changeTo: ((nextShape: Sql, near: Neighbours) => Change) | undefined;
}

/**
 * The columns of histograms. If no series of the metric is known to have exponential buckets, these are the columns of
 * explicit ones only. Otherwise the statement first checks for such series; if there are none, the exponential columns are
 * constant, and the engine neither reads nor computes them. (They must not look constant from outside: the engine loses
 * that between steps, and then fails.)
 */
export function withExponential(points: MetricPoints, { window }: Anchored, ctx: Context): Shaped {
  const columns: Definition[] = [];
  const define = (value: Sql): Sql => {
    const id = ctx.fresh();
    columns.push({ id, value });
    return column(id);
  };
  const explicitShape = define(explicitShapeOf(points.read));
  const any = points.anySeries('exponential_histogram', window);
  if (any === undefined) return { columns, read: points.read, shape: explicitShape, changeTo: undefined };
  const layout = [
    explicitShape,
    sql`length(${points.read('bucket_counts')})`,
    points.read('scale'),
    points.read('positive_offset'),
    sql`length(${points.read('positive_counts')})`,
    points.read('negative_offset'),
    sql`length(${points.read('negative_counts')})`,
  ];
  const names = Object.keys(OF_EXPONENTIAL);
  // One condition for all columns, so that its sub-query appears in the statement once.
  const all = define(
    sql`materialize(if(${any}, (${list([...names.map(points.read), shapeOf(points.read), sql`[${list(layout.map((of) => sql`toInt64(${of})`))}]`])}), (${list([...Object.values(OF_EXPONENTIAL), explicitShape, sql`CAST([], 'Array(Int64)')`])})))`,
  );
  const part = (at: number) => define(sql`tupleElement(${all}, ${at})`);
  const own = new Map(names.map((name, i) => [name, part(i + 1)]));
  const read: Read = (name) => own.get(name) ?? points.read(name);
  const shape = part(names.length + 1);
  const following = part(names.length + 2);
  return {
    columns,
    read,
    shape,
    changeTo: (nextShape, near) => {
      const next = near.after(following);
      const comparable = sql`(${next}[1] = toInt64(${explicitShape}))`;
      const zeros = (length: Sql) => sql`arrayWithConstant(${length}, 0.)`;
      const explicit = sql`if(${comparable}, arrayMap(n -> -toFloat64(n), ${read('bucket_counts')}), ${zeros(sql`${next}[2]`)})`;
      const zero = sql`[if(${comparable}, -toFloat64(${read('zero_count')}), 0.)]`;
      const side = (counts: Sql, offset: Sql, nextOffset: Sql, length: Sql) => {
        const there = atScale(
          { counts, offset, scale: read('scale') },
          { scale: sql`${next}[3]`, offset: nextOffset, length },
        );
        return sql`if(${read('scale')} >= ${next}[3] AND notEmpty(${counts}), arrayMap(n -> -n, ${there}), ${zeros(length)})`;
      };
      const positive = side(read('positive_counts'), read('positive_offset'), sql`${next}[4]`, sql`${next}[5]`);
      const negative = side(read('negative_counts'), read('negative_offset'), sql`${next}[6]`, sql`${next}[7]`);
      const isOne = sql`(notEmpty(${next}) AND ${nextShape} != ${shape})`;
      return {
        isOne,
        counts: sql`if(${isOne}, map(${nextShape}, arrayConcat(${explicit}, ${zero}, ${positive}, ${negative})), ${NO_DISTRIBUTION.counts})`,
      };
    },
  };
}
