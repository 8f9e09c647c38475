import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const month: ScalarFunction = {
  kind: 'scalar',
  name: 'month',
  doc: 'The month of a time in UTC, 1 to 12.',
  parameters: [{ name: 'of', type: 'timestamp' }],
  returns: 'int',
  sql: ([of = NULL]) => sql`toInt64(toMonth(${of}, 'UTC'))`,
  examples: [['month(2026-11-19T14:53:20Z)', 11]],
};
