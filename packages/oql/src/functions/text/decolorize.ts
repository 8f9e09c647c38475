import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const decolorize: ScalarFunction = {
  kind: 'scalar',
  name: 'decolorize',
  doc: 'The text without the escape sequences that color it in a terminal.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`replaceRegexpAll(${text}, '\\\\x1b\\\\[[0-9;]*[A-Za-z]', '')`,
  examples: [['decolorize("\\u001b[31mred\\u001b[0m")', 'red']],
};
