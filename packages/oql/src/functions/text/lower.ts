import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const lower: ScalarFunction = {
  kind: 'scalar',
  name: 'lower',
  doc: 'The text in lower case.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`lowerUTF8(${text})`,
  examples: [['lower("ÄbC")', 'äbc']],
};
