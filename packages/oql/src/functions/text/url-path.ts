import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const urlPath: ScalarFunction = {
  kind: 'scalar',
  name: 'url_path',
  doc: 'The path of a URL.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`path(${text})`,
  examples: [['url_path("https://shop.example/cart/7?x=1")', '/cart/7']],
};
