import type { AggregateFunction } from '../definition.ts';
import { max } from './extremes.ts';
import { where } from './where.ts';

export const maxIf: AggregateFunction = {
  kind: 'aggregate',
  name: 'max_if',
  doc: 'The largest value of rows that match a condition.',
  parameters: [
    { name: 'of', type: ['quantity', 'timestamp', 'string', 'bool', 'any'] },
    { name: 'condition', type: 'condition' },
  ],
  returns: max.returns,
  nullable: true,
  weights: 'alike',
  histograms: true,
  sql: ([of, condition], rows) => max.sql([where(of, condition)], rows),
  exact: ([of, condition], rows) => max.exact?.([where(of, condition)], rows),
  examples: [['max_if(x, x < 3)', [1, 2, 3], 2]],
};
