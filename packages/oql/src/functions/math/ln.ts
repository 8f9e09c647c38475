import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const ln: ScalarFunction = {
  kind: 'scalar',
  name: 'ln',
  doc: 'The natural logarithm; null for values that are not positive.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  nullable: () => true,
  sql: ([of = NULL]) => sql`if(${of} > 0, log(${of}), NULL)`,
  examples: [
    ['ln(1)', 0],
    ['ln(0)', null],
  ],
};
