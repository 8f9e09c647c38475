import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const urlQuery: ScalarFunction = {
  kind: 'scalar',
  name: 'url_query',
  doc: 'A query parameter of a URL, decoded; null if the URL does not have it.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'name', type: 'string', literal: true },
  ],
  returns: 'string',
  nullable: () => true,
  sql: ([text = NULL, name = NULL]) =>
    sql`if(has(extractURLParameterNames(ifNull(${text}, '')), ${name}), decodeURLComponent(extractURLParameter(${text}, ${name})), NULL)`,
  examples: [
    ['url_query("https://shop.example/find?q=red%20hat&page=2", "q")', 'red hat'],
    ['url_query("https://shop.example/", "q")', null],
  ],
};
