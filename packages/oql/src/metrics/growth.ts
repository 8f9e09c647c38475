import { type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';

/** Facts about a point and the previous one in its series. */
export interface Step {
  /** Undefined if no series is. */
  readonly isDelta: Sql | undefined;
  readonly isFirst: Sql;
  /** The series began in the range. */
  readonly begins: Sql;
  /** The point has a later start time than the previous one. */
  readonly restarted: Sql;
}

/**
 * How much a number of a point grew since the previous point.
 *
 * A point of delta temporality is its own difference. A cumulative one counts from the previous point; if that is larger
 * or has an earlier start time, the series was reset, and the whole value is new. A series that begins inside the range
 * counts from 0. A series that began earlier and has no previous point adds nothing: its count before the range is
 * unknown, and nothing is extrapolated. `delta` is the plain difference, which may be negative.
 */
export function growthOf(fn: RangeFunction, now: Sql, then: Sql, dropped: Sql, step: Step): Sql {
  const { isDelta, isFirst, begins, restarted } = step;
  const value = sql`toFloat64(${now})`;
  const difference = sql`${value} - ${then}`;
  // Nested `if` and not `multiIf`, which makes a query take a tenth longer.
  const grown =
    fn === 'delta'
      ? sql`if(${isFirst}, 0., ${difference})`
      : sql`if(${isFirst}, if(${begins}, ${value}, ${value} * 0), if(${restarted} OR ${dropped}, ${value}, ${difference}))`;
  return isDelta ? sql`if(${isDelta}, ${value}, ${grown})` : grown;
}
