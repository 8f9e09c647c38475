import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const floor: ScalarFunction = {
  kind: 'scalar',
  name: 'floor',
  doc: 'The largest integer at or below the value.',
  parameters: [{ name: 'of', type: 'number' }],
  returns: 'float',
  sql: ([of = NULL]) => sql`toFloat64(floor(${of}))`,
  examples: [['floor(-1.2)', -2]],
};
