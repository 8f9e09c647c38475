import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const exp: ScalarFunction = {
  kind: 'scalar',
  name: 'exp',
  doc: 'e to the power of the value.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  sql: ([of = NULL]) => sql`exp(${of})`,
  examples: [['exp(0)', 1]],
};
