import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const byteLength: ScalarFunction = {
  kind: 'scalar',
  name: 'byte_length',
  doc: 'The number of bytes of a text in UTF-8.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'int',
  sql: ([text = NULL]) => sql`length(${text})`,
  examples: [['byte_length("äb")', 3]],
};
