import type { AggregateFunction } from '../definition.ts';
import { countDistinct } from './count-distinct.ts';
import { where } from './where.ts';

export const countDistinctIf: AggregateFunction = {
  kind: 'aggregate',
  name: 'count_distinct_if',
  doc: 'The exact number of distinct values of rows that match a condition.',
  parameters: [
    { name: 'of', type: 'any' },
    { name: 'condition', type: 'condition' },
  ],
  returns: 'int',
  nullable: false,
  weights: 'alike',
  sql: ([of, condition], rows) => countDistinct.sql([where(of, condition)], rows),
  examples: [['count_distinct_if(x, x > 1)', [1, 2, 2, 3], 2]],
};
