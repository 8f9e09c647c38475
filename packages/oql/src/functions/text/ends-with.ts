import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const endsWith: ScalarFunction = {
  kind: 'scalar',
  name: 'ends_with',
  doc: 'Whether a text ends with another, ignoring case.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'end', type: 'string' },
  ],
  returns: 'bool',
  sql: ([text = NULL, end = NULL]) => sql`endsWith(lowerUTF8(${text}), lowerUTF8(${end}))`,
  examples: [
    ['ends_with("order.PDF", ".pdf")', true],
    ['ends_with("order.pdf", "order")', false],
  ],
};
