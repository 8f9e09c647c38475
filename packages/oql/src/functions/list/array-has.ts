import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const arrayHas: ScalarFunction = {
  kind: 'scalar',
  name: 'array_has',
  doc: 'Whether a list has a value.',
  parameters: [
    { name: 'values', type: 'array' },
    { name: 'sought', type: 'value' },
  ],
  returns: 'bool',
  sql: ([values = NULL, sought = NULL]) => sql`has(arrayMap(x -> toString(x), ${values}), toString(${sought}))`,
  examples: [
    ['array_has(split("a,b", ","), "b")', true],
    ['array_has(split("a,b", ","), "c")', false],
  ],
};
