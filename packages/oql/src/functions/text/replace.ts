import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const replace: ScalarFunction = {
  kind: 'scalar',
  name: 'replace',
  doc: 'The text with every occurrence of one text replaced with another.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'what', type: 'string' },
    { name: 'by', type: 'string' },
  ],
  returns: 'string',
  sql: ([text = NULL, what = NULL, by = NULL]) => sql`replaceAll(${text}, ${what}, ${by})`,
  examples: [['replace("a-b-c", "-", "+")', 'a+b+c']],
};
