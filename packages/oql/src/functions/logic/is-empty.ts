import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const isEmpty: ScalarFunction = {
  kind: 'scalar',
  name: 'is_empty',
  doc: 'Whether a text is null or empty.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'bool',
  nullable: () => false,
  sql: ([text = NULL]) => sql`(ifNull(${text}, '') = '')`,
  examples: [
    ['is_empty("")', true],
    ['is_empty("a")', false],
  ],
};
