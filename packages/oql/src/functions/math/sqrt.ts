import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const sqrt: ScalarFunction = {
  kind: 'scalar',
  name: 'sqrt',
  doc: 'The square root; null for a negative number.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  nullable: () => true,
  sql: ([of = NULL]) => sql`if(${of} < 0, NULL, sqrt(${of}))`,
  examples: [
    ['sqrt(9)', 3],
    ['sqrt(-1)', null],
  ],
};
