import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const weekday: ScalarFunction = {
  kind: 'scalar',
  name: 'weekday',
  doc: 'The day of the week of a time in UTC: 1 is Monday, 7 is Sunday.',
  parameters: [{ name: 'of', type: 'timestamp' }],
  returns: 'int',
  sql: ([of = NULL]) => sql`toDayOfWeek(${of}, 0, 'UTC')`,
  examples: [['weekday(2026-11-19)', 4]],
};
