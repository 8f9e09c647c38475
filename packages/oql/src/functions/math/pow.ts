import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const pow: ScalarFunction = {
  kind: 'scalar',
  name: 'pow',
  doc: 'A base raised to a power.',
  parameters: [
    { name: 'base', type: 'number' },
    { name: 'exponent', type: 'number' },
  ],
  returns: 'float',
  sql: ([base = NULL, exponent = NULL]) => sql`pow(${base}, ${exponent})`,
  examples: [['pow(2, 10)', 1024]],
};
