import { condition, type Value } from '../../check/value.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

const holds = (of: Value | undefined): Sql => (of ? condition(of) : sql`true`);

export const all: AggregateFunction = {
  kind: 'aggregate',
  name: 'all',
  doc: 'Whether every row matches a condition.',
  parameters: [{ name: 'condition', type: 'condition' }],
  returns: 'bool',
  nullable: false,
  weights: 'alike',
  sql: ([of]) => sql`(${aggregate('countIf', [sql`(NOT ${holds(of)})`])} = 0)`,
  examples: [
    ['all(x > 0)', [1, 2], true],
    ['all(x > 1)', [1, 2], false],
  ],
};

export const none: AggregateFunction = {
  kind: 'aggregate',
  name: 'none',
  doc: 'Whether no row matches a condition.',
  parameters: [{ name: 'condition', type: 'condition' }],
  returns: 'bool',
  nullable: false,
  weights: 'alike',
  sql: ([of]) => sql`(${aggregate('countIf', [holds(of)])} = 0)`,
  examples: [
    ['none(x > 5)', [1, 2], true],
    ['none(x > 1)', [1, 2], false],
  ],
};
