import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const base64Decode: ScalarFunction = {
  kind: 'scalar',
  name: 'base64_decode',
  doc: 'The text that a base64 text stands for; null where it is none.',
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
