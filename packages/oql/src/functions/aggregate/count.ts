import { condition, isNull } from '../../check/value.ts';
import { countObserved, countWithin } from '../../metrics/share.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

/** A sum of weights, rounded to a whole number. Without sampling it is exact. */
export function wholeCount(weight: Sql): Sql {
  return sql`toUInt64(round(${weight}))`;
}

export const count: AggregateFunction = {
  kind: 'aggregate',
  name: 'count',
  doc: 'The number of rows; with a condition, rows that match it; with a value, rows where it is not null. For the value of a histogram, or a condition on it: the number of observations, as in `count(value <= 0.1)`.',
  parameters: [{ name: 'of', type: 'any', optional: true }],
  returns: ([of]) => (of?.share || of?.observed ? 'float' : 'int'),
  nullable: false,
  weights: 'counted',
  histograms: 'share',
  sql: ([of], { weight }) => {
    if (of?.share) return countWithin(of.share, condition(of));
    if (of?.observed) return countObserved(of, of.observed);
    if (!of) return weight ? wholeCount(aggregate('sum', [weight])) : aggregate('count', []);
    const counted = of.type === 'bool' ? condition(of) : sql`(NOT ${isNull(of)})`;
    return weight ? wholeCount(aggregate('sumIf', [weight, counted])) : aggregate('countIf', [counted]);
  },
  examples: [
    ['count()', [1, 2, 3], 3],
    ['count(x > 1)', [1, 2, 3], 2],
    ['count(x)', [1, null, 3], 2],
  ],
};
