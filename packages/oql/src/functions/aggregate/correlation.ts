import { aggregate, NULL, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

export const correlation: AggregateFunction = {
  kind: 'aggregate',
  name: 'correlation',
  doc: "Pearson's correlation of two values, -1 to 1.",
  parameters: [
    { name: 'a', type: 'quantity' },
    { name: 'b', type: 'quantity' },
  ],
  returns: 'float',
  nullable: true,
  sql: ([a, b]) => {
    const found = aggregate('corrStableOrNull', [a?.sql ?? NULL, b?.sql ?? NULL]);
    return sql`if(isNaN(${found}), NULL, ${found})`;
  },
  examples: [
    ['correlation(x, x * 2)', [1, 2, 3], 1],
    ['correlation(x, x)', [5, 5], null],
  ],
};
