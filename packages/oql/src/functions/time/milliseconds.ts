import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const milliseconds: ScalarFunction = {
  kind: 'scalar',
  name: 'milliseconds',
  doc: 'A duration as a number of milliseconds.',
  parameters: [{ name: 'of', type: 'duration' }],
  returns: 'float',
  sql: ([of = NULL]) => sql`(${of} / 1e6)`,
  examples: [['milliseconds(1500us)', 1.5]],
};
