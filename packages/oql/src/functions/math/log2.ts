import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const log2: ScalarFunction = {
  kind: 'scalar',
  name: 'log2',
  doc: 'The logarithm to base 2; null for values that are not positive.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  nullable: () => true,
  sql: ([of = NULL]) => sql`if(${of} > 0, log2(${of}), NULL)`,
  examples: [['log2(8)', 3]],
};
