import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const urlEncode: ScalarFunction = {
  kind: 'scalar',
  name: 'url_encode',
  doc: 'The text percent-encoded for a URL.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`encodeURLComponent(${text})`,
  examples: [['url_encode("a b/c")', 'a%20b%2Fc']],
};
