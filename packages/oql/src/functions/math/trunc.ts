import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const trunc: ScalarFunction = {
  kind: 'scalar',
  name: 'trunc',
  doc: 'The number without its fraction.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  sql: ([of = NULL]) => sql`toFloat64(trunc(${of}))`,
  examples: [['trunc(-1.7)', -1]],
};
