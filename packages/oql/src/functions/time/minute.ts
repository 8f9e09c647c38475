import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const minute: ScalarFunction = {
  kind: 'scalar',
  name: 'minute',
  doc: 'The minute of a time, 0 to 59.',
  parameters: [{ name: 'of', type: 'timestamp' }],
  returns: 'int',
  sql: ([of = NULL]) => sql`toInt64(toMinute(${of}, 'UTC'))`,
  examples: [['minute(2026-11-19T14:53:20Z)', 53]],
};
