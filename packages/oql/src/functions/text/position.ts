import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const position: ScalarFunction = {
  kind: 'scalar',
  name: 'position',
  doc: 'Where a text starts in another, from 0; -1 if it does not occur.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'sought', type: 'string' },
  ],
  returns: 'int',
  sql: ([text = NULL, sought = NULL]) => sql`(toInt64(positionUTF8(${text}, ${sought})) - 1)`,
  examples: [
    ['position("abc", "c")', 2],
    ['position("abc", "x")', -1],
  ],
};
