import { aggregate } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';
import { stored } from './stored.ts';

export const countDistinct: AggregateFunction = {
  kind: 'aggregate',
  name: 'count_distinct',
  doc: 'How many different values there are, exactly; `null` is none.',
  parameters: [{ name: 'of', type: 'any' }],
  returns: 'int',
  nullable: false,
  sql: ([of]) => aggregate('uniqExact', [stored(of)]),
  examples: [['count_distinct(x)', [1, 2, 2, null], 2]],
};

export const countDistinctApproximate: AggregateFunction = {
  kind: 'aggregate',
  name: 'count_distinct_approx',
  doc: 'About how many different values there are (within 2 %), in little memory however many.',
  parameters: [{ name: 'of', type: 'any' }],
  returns: 'int',
  nullable: false,
  sql: ([of]) => aggregate('uniqCombined64', [stored(of)]),
  examples: [['count_distinct_approx(x)', [1, 2, 2], 2]],
};
