import type { AggregateFunction } from '../definition.ts';
import { avg, meanType } from './avg.ts';
import { where } from './where.ts';

export const avgIf: AggregateFunction = {
  kind: 'aggregate',
  name: 'avg_if',
  doc: 'The mean of the values of rows that match a condition.',
  parameters: [
    { name: 'of', type: 'quantity' },
    { name: 'condition', type: 'condition' },
  ],
  returns: ([of]) => meanType(of?.type),
  nullable: true,
  weights: 'counted',
  histograms: true,
  sql: ([of, condition], rows) => avg.sql([where(of, condition)], rows),
  examples: [
    ['avg_if(x, x > 1)', [1, 2, 4], 3],
    ['avg_if(x, x > 9)', [1], null],
  ],
};
