import type { AggregateFunction } from '../definition.ts';
import { sum } from './sum.ts';
import { where } from './where.ts';

export const sumIf: AggregateFunction = {
  kind: 'aggregate',
  name: 'sum_if',
  doc: 'The sum of the values of rows that match a condition; 0 if no row matches.',
  parameters: [
    { name: 'of', type: 'quantity' },
    { name: 'condition', type: 'condition' },
  ],
  returns: ([of]) => of?.type ?? 'float',
  nullable: false,
  weights: 'counted',
  histograms: true,
  sql: ([of, condition], rows) => sum.sql([where(of, condition)], rows),
  exact: ([of, condition], rows) => sum.exact?.([where(of, condition)], rows),
  examples: [
    ['sum_if(x, x > 1)', [1, 2, 3], 5],
    ['sum_if(x, x > 9)', [1, 2, 3], 0],
  ],
};
