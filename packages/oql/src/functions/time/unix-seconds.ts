import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const unixSeconds: ScalarFunction = {
  kind: 'scalar',
  name: 'unix_seconds',
  doc: 'A time as seconds since 1970.',
  parameters: [{ name: 'of', type: 'timestamp' }],
  returns: 'float',
  sql: ([of = NULL]) => sql`(toUnixTimestamp64Nano(toDateTime64(${of}, 9, 'UTC')) / 1e9)`,
  examples: [['unix_seconds(2026-11-19T14:53:20.5Z)', 1_795_100_000.5]],
};
