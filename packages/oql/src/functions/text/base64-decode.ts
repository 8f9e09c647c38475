import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const base64Decode: ScalarFunction = {
  kind: 'scalar',
  name: 'base64_decode',
  doc: 'The decoded text of a base64 text; null if it is not base64.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  nullable: () => true,
  sql: ([text = NULL]) =>
    sql`if(tryBase64Decode(${text}) = '' AND ${text} != '', NULL, toValidUTF8(tryBase64Decode(${text})))`,
  examples: [
    ['base64_decode("aGVsbG8=")', 'hello'],
    ['base64_decode("*")', null],
  ],
};
