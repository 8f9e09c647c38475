import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const trim: ScalarFunction = {
  kind: 'scalar',
  name: 'trim',
  doc: 'The text without white space around it.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`trimBoth(${text})`,
  examples: [['trim("  a b ")', 'a b']],
};
