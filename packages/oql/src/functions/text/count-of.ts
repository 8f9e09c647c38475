import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const countOf: ScalarFunction = {
  kind: 'scalar',
  name: 'count_of',
  doc: 'How often a text occurs in another.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'sought', type: 'string' },
  ],
  returns: 'int',
  sql: ([text = NULL, sought = NULL]) => sql`toInt64(countSubstrings(${text}, ${sought}))`,
  examples: [['count_of("a,b,c", ",")', 2]],
};
