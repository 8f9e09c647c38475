import { type Sql, sql } from '../sql/sql.ts';
import type { RangeFunction } from '../syntax/ast.ts';

/** What is known of a point and the one before it in its series. */
export interface Step {
  /** Undefined: no series is. */
  readonly isDelta: Sql | undefined;
  readonly isFirst: Sql;
  /** The series began in the range. */
  readonly begins: Sql;
  /** The point began to count later than the one before it. */
  readonly restarted: Sql;
}

/**
 * How much a number of a point adds to that of the one before it.
 *
 * A point of delta temporality is its own difference. A cumulative one counts from the point before it; where that is
 * larger or began to count earlier, the series was reset, and all of the value is new. A series that begins inside of
 * the range counts from 0. A series that began earlier and has no point to count from adds nothing: what it had counted
 * before cannot be known, and nothing is extrapolated. `delta` is the plain difference, which may be negative.
 */
export function growthOf(fn: RangeFunction, now: Sql, then: Sql, dropped: Sql, step: Step): Sql {
  const { isDelta, isFirst, begins, restarted } = step;
  const value = sql`toFloat64(${now})`;
  const difference = sql`${value} - ${then}`;
  // `if` in `if` and not `multiIf`, which takes a tenth of a query's time longer.
  const grown =
    fn === 'delta'
      ? sql`if(${isFirst}, 0., ${difference})`
      : sql`if(${isFirst}, if(${begins}, ${value}, ${value} * 0), if(${restarted} OR ${dropped}, ${value}, ${difference}))`;
  return isDelta ? sql`if(${isDelta}, ${value}, ${grown})` : grown;
}
