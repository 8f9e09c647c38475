import type { Value } from '../../check/value.ts';
import { aggregate, NULL, type Sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

function extreme(name: 'min' | 'max', doc: string, examples: AggregateFunction['examples']): AggregateFunction {
  return {
    kind: 'aggregate',
    name,
    doc,
    parameters: [{ name: 'of', type: ['quantity', 'timestamp', 'string', 'bool'] }],
    returns: ([of]) => of?.type ?? 'float',
    nullable: true,
    sql: ([of]) => aggregate(`${name}OrNull`, [read(of)]),
    examples,
  };
}

function read(value: Value | undefined): Sql {
  return value?.sql ?? NULL;
}

export const min = extreme('min', 'The smallest value; of text, the first in order.', [
  ['min(x)', [3, 1, 2], 1],
  ['min(x)', ['b', 'a'], 'a'],
  ['min(x)', [], null],
]);

export const max = extreme('max', 'The largest value; of text, the last in order.', [
  ['max(x)', [3, 1, 2], 3],
  ['max(x)', [1.5, null], 1.5],
]);
