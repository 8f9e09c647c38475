import type { AggregateFunction } from '../definition.ts';
import { min } from './extremes.ts';
import { where } from './where.ts';

export const minIf: AggregateFunction = {
  kind: 'aggregate',
  name: 'min_if',
  doc: 'The smallest value of rows that match a condition.',
  parameters: [
    { name: 'of', type: ['quantity', 'timestamp', 'string', 'bool', 'any'] },
    { name: 'condition', type: 'condition' },
  ],
  returns: min.returns,
  nullable: true,
  weights: 'alike',
  histograms: true,
  sql: ([of, condition], rows) => min.sql([where(of, condition)], rows),
  exact: ([of, condition], rows) => min.exact?.([where(of, condition)], rows),
  examples: [['min_if(x, x > 1)', [1, 2, 3], 2]],
};
