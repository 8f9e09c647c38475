import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const urlHost: ScalarFunction = {
  kind: 'scalar',
  name: 'url_host',
  doc: 'The host of a URL.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`domain(${text})`,
  examples: [['url_host("https://shop.example:8443/cart?x=1")', 'shop.example']],
};
