import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const log10: ScalarFunction = {
  kind: 'scalar',
  name: 'log10',
  doc: 'The logarithm to base 10; null for values that are not positive.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  nullable: () => true,
  sql: ([of = NULL]) => sql`if(${of} > 0, log10(${of}), NULL)`,
  examples: [['log10(1000)', 3]],
};
