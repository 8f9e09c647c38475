import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const arrayLength: ScalarFunction = {
  kind: 'scalar',
  name: 'array_length',
  doc: 'How many values a list has.',
  parameters: [{ name: 'values', type: 'array' }],
  returns: 'int',
  sql: ([values = NULL]) => sql`toInt64(length(${values}))`,
  examples: [['array_length(split("a,b", ","))', 2]],
};
