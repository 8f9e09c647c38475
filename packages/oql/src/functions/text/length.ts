import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const length: ScalarFunction = {
  kind: 'scalar',
  name: 'length',
  doc: 'The number of characters in a text.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'int',
  sql: ([text = NULL]) => sql`lengthUTF8(${text})`,
  examples: [['length("äb")', 2]],
};
