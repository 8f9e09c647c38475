import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const abs: ScalarFunction = {
  kind: 'scalar',
  name: 'abs',
  doc: 'The value without its sign.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => of?.type ?? 'float',
  sql: ([of = NULL]) => sql`abs(${of})`,
  examples: [
    ['abs(-2)', 2],
    ['abs(-1.5)', 1.5],
  ],
};
