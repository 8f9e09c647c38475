import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const reverse: ScalarFunction = {
  kind: 'scalar',
  name: 'reverse',
  doc: 'The characters of a text in reverse order.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'string',
  sql: ([text = NULL]) => sql`reverseUTF8(${text})`,
  examples: [['reverse("äbc")', 'cbä']],
};
