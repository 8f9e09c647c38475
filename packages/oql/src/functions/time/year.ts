import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const year: ScalarFunction = {
  kind: 'scalar',
  name: 'year',
  doc: 'The year of a time in UTC.',
  parameters: [{ name: 'of', type: 'timestamp' }],
  returns: 'int',
  sql: ([of = NULL]) => sql`toInt64(toYear(${of}, 'UTC'))`,
  examples: [['year(2026-11-19T14:53:20Z)', 2026]],
};
