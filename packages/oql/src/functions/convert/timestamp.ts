import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const timestamp: ScalarFunction = {
  kind: 'scalar',
  name: 'timestamp',
  doc: 'Text such as `2026-11-19T14:53:20Z` as a timestamp; null if it is not a timestamp.',
  parameters: [{ name: 'of', type: 'string' }],
  returns: 'timestamp',
  nullable: () => true,
  sql: ([of = NULL]) => sql`if(match(${of}, '^[0-9]*$'), NULL, parseDateTime64BestEffortOrNull(${of}, 9, 'UTC'))`,
  examples: [
    ['timestamp("2026-11-19T14:53:20.5Z")', '2026-11-19T14:53:20.500Z'],
    ['timestamp("x")', null],
    // Neither the twelfth of January nor a number of seconds, which `from_unix` reads.
    ['timestamp("12")', null],
  ],
};
