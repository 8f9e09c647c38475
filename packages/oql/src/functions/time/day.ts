import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const day: ScalarFunction = {
  kind: 'scalar',
  name: 'day',
  doc: 'The day of the month of a time in UTC, 1 to 31.',
  parameters: [{ name: 'of', type: 'timestamp' }],
  returns: 'int',
  sql: ([of = NULL]) => sql`toInt64(toDayOfMonth(${of}, 'UTC'))`,
  examples: [['day(2026-11-19T14:53:20Z)', 19]],
};
