import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const hour: ScalarFunction = {
  kind: 'scalar',
  name: 'hour',
  doc: 'The hour of a time in UTC, 0 to 23.',
  parameters: [{ name: 'of', type: 'timestamp' }],
  returns: 'int',
  sql: ([of = NULL]) => sql`toHour(${of}, 'UTC')`,
  examples: [['hour(2026-11-19T14:53:20Z)', 14]],
};
