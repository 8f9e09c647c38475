import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const upper: ScalarFunction = {
  kind: 'scalar',
  name: 'upper',
  doc: 'The text in upper case.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`upperUTF8(${text})`,
  examples: [['upper("äbC")', 'ÄBC']],
};
