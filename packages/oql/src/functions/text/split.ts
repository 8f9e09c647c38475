import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const split: ScalarFunction = {
  kind: 'scalar',
  name: 'split',
  doc: 'The parts of a text between separators.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'separator', type: 'string', literal: true },
  ],
  returns: 'array',
  nullable: () => false,
  sql: ([text = NULL, separator = NULL]) => sql`splitByString(${separator}, assumeNotNull(${text}))`,
  examples: [['split("a,b", ",")', ['a', 'b']]],
};
