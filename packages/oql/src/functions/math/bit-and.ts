import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const bitAnd: ScalarFunction = {
  kind: 'scalar',
  name: 'bit_and',
  doc: 'The bitwise AND of two integers, for flags.',
  parameters: [
    { name: 'a', type: 'int' },
    { name: 'b', type: 'int' },
  ],
  returns: 'int',
  sql: ([a = NULL, b = NULL]) => sql`bitAnd(toInt64(${a}), toInt64(${b}))`,
  examples: [['bit_and(6, 3)', 2]],
};
