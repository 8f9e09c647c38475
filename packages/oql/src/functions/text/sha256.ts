import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const sha256: ScalarFunction = {
  kind: 'scalar',
  name: 'sha256',
  doc: 'The SHA-256 of a text in hexadecimal.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`lower(hex(SHA256(${text})))`,
  examples: [['sha256("a")', 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb']],
};
