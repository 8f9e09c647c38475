import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const sign: ScalarFunction = {
  kind: 'scalar',
  name: 'sign',
  doc: '-1, 0 or 1.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: 'int',
  sql: ([of = NULL]) => sql`sign(${of})`,
  examples: [['sign(-7)', -1]],
};
