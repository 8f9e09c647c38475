import { sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';
import { inOrder } from './list.ts';

export const changes: AggregateFunction = {
  kind: 'aggregate',
  name: 'changes',
  doc: 'How often the value changed from one row to the next, in time order. NaN after NaN is no change.',
  parameters: [{ name: 'of', type: 'value' }],
  returns: 'int',
  nullable: false,
  weights: 'alike',
  sql: ([of], { time }) => {
    const values = inOrder(of, time);
    const differ = of?.type === 'float' ? sql`a != b AND NOT (isNaN(a) AND isNaN(b))` : sql`a != b`;
    return sql`toInt64(arrayCount((a, b) -> ${differ}, arrayPopFront(${values}), arrayPopBack(${values})))`;
  },
  examples: [['changes(x)', [5, 5, 5], 0]],
};

export const resets: AggregateFunction = {
  kind: 'aggregate',
  name: 'resets',
  doc: 'How often the value fell from one row to the next, in time order: how often a counter was reset.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'int',
  nullable: false,
  weights: 'alike',
  sql: ([of], { time }) => {
    const values = inOrder(of, time);
    return sql`toInt64(arrayCount((a, b) -> a < b, arrayPopFront(${values}), arrayPopBack(${values})))`;
  },
  examples: [['resets(x)', [5, 5, 5], 0]],
};
