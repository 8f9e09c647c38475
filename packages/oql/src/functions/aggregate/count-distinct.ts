import { aggregate } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';
import { stored } from './stored.ts';

export const countDistinct: AggregateFunction = {
  kind: 'aggregate',
  name: 'count_distinct',
  doc: 'The exact number of distinct values; nulls do not count.',
  parameters: [{ name: 'of', type: 'any' }],
  returns: 'int',
  nullable: false,
  weights: 'alike',
  sql: ([of]) => aggregate('uniqExact', [stored(of)]),
  examples: [['count_distinct(x)', [1, 2, 2, null], 2]],
};

export const countDistinctApproximate: AggregateFunction = {
  kind: 'aggregate',
  name: 'count_distinct_approx',
  doc: 'The approximate number of distinct values (within 2 %), in little memory at any size.',
  parameters: [{ name: 'of', type: 'any' }],
  returns: 'int',
  nullable: false,
  weights: 'alike',
  sql: ([of]) => aggregate('uniqCombined64', [stored(of)]),
  examples: [['count_distinct_approx(x)', [1, 2, 2], 2]],
};
