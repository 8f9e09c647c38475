import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const ceil: ScalarFunction = {
  kind: 'scalar',
  name: 'ceil',
  doc: 'The smallest integer at or above the value.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  sql: ([of = NULL]) => sql`toFloat64(ceil(${of}))`,
  examples: [['ceil(1.2)', 2]],
};
