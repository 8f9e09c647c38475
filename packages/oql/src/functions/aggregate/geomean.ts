import { aggregate, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

export const geomean: AggregateFunction = {
  kind: 'aggregate',
  name: 'geomean',
  doc: 'The geometric mean of the values above 0.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  nullable: true,
  weights: 'counted',
  sql: ([of], { weight }) => {
    const value = of?.sql ?? sql`0`;
    const logarithm = sql`if(${value} > 0, log(${value}), NULL)`;
    return sql`exp(${weight ? aggregate('avgWeightedOrNull', [logarithm, weight]) : aggregate('avgOrNull', [logarithm])})`;
  },
  examples: [
    ['geomean(x)', [1, 10, 100], 10],
    ['geomean(x)', [0], null],
  ],
};
