import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const logfmt: ScalarFunction = {
  kind: 'scalar',
  name: 'logfmt',
  doc: 'A key of text such as `level=warn msg="too slow"`; null if it has no such key. `parse … logfmt` reads all keys.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'key', type: 'string', literal: true },
  ],
  returns: 'string',
  nullable: () => true,
  sql: ([text = NULL, key = NULL]) => {
    const pairs = sql`extractKeyValuePairs(ifNull(${text}, ''), '=', ' ', '"')`;
    return sql`if(mapContains(${pairs}, ${key}), arrayElement(${pairs}, ${key}), NULL)`;
  },
  examples: [
    ['logfmt("level=warn msg=\\"too slow\\" took=3s", "msg")', 'too slow'],
    ['logfmt("level=warn", "user")', null],
  ],
};
