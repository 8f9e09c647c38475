import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const urlDecode: ScalarFunction = {
  kind: 'scalar',
  name: 'url_decode',
  doc: 'The text without the percent encoding of URLs.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`decodeURLComponent(${text})`,
  examples: [['url_decode("a%20b%2Fc")', 'a b/c']],
};
