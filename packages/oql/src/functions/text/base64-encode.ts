import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const base64Encode: ScalarFunction = {
  kind: 'scalar',
  name: 'base64_encode',
  doc: 'The base64 encoding of a text.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`base64Encode(${text})`,
  examples: [['base64_encode("hello")', 'aGVsbG8=']],
};
