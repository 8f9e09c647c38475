import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const md5: ScalarFunction = {
  kind: 'scalar',
  name: 'md5',
  doc: 'The MD5 of a text in hexadecimal, to match values hashed elsewhere; not for secrets.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`lower(hex(MD5(${text})))`,
  examples: [['md5("a")', '0cc175b9c0f1b6a831c399e269772661']],
};
