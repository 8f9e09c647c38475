import { condition, isNull } from '../../check/value.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

/** A sum of weights is a whole number where nothing was sampled, and the nearest one where it was. */
export function wholeCount(weight: Sql): Sql {
  return sql`toUInt64(round(${weight}))`;
}

export const count: AggregateFunction = {
  kind: 'aggregate',
  name: 'count',
  doc: 'How many rows; of a condition, those for which it holds; of a value, those that have one.',
  parameters: [{ name: 'of', type: 'any', optional: true }],
  returns: 'int',
  nullable: false,
  sql: ([of], { weight }) => {
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
