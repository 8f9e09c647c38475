import type { Context } from '../check/context.ts';
import type { MetricPoints } from '../check/relation.ts';
import type { Definition } from '../plan/plan.ts';
import { column, type Sql, sql } from '../sql/sql.ts';

/** Values of the previous and the next point in a series: columns of a `window` node, each defined once. */
export interface Neighbours {
  readonly columns: readonly Definition[];
  /** A column of the previous point; the empty value of the column's type if there is none. */
  readonly before: (value: Sql) => Sql;
  readonly after: (value: Sql) => Sql;
  readonly isFirst: Sql;
}

/** @param farthest whether `after` is used too */
export function neighboursOf(
  { series, read }: Pick<MetricPoints, 'series' | 'read'>,
  ctx: Context,
  farthest: 'before' | 'after' = 'after',
): Neighbours {
  const columns: Definition[] = [];
  const known = new Map<unknown, Map<string, Sql>>();
  // One window for all columns of a point and its neighbors, so that one pass finds them.
  const over = sql`OVER (PARTITION BY ${series} ORDER BY ${read('time')} ROWS BETWEEN 1 PRECEDING AND ${farthest === 'before' ? sql`CURRENT ROW` : sql`1 FOLLOWING`})`;
  const define = (value: Sql): Sql => {
    const id = ctx.fresh();
    columns.push({ id, value });
    return column(id);
  };
  const beside = (fn: 'lag' | 'lead', value: Sql): Sql => {
    const key = value.kind === 'column' ? value.id : value;
    const made = known.get(key) ?? new Map<string, Sql>();
    known.set(key, made);
    const found =
      made.get(fn) ?? define(fn === 'lag' ? sql`lagInFrame(${value}) ${over}` : sql`leadInFrame(${value}) ${over}`);
    made.set(fn, found);
    return found;
  };
  return {
    columns,
    before: (value) => beside('lag', value),
    after: (value) => beside('lead', value),
    isFirst: sql`(${define(sql`lagInFrame(toUInt8(1)) ${over}`)} = 0)`,
  };
}
