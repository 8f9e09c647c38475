import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { ZONE, zoneFault, zoneOf } from './zone.ts';

export const minute: ScalarFunction = {
  kind: 'scalar',
  name: 'minute',
  doc: 'The minute of a time, 0 to 59.',
  parameters: [{ name: 'of', type: 'timestamp' }, ZONE],
  returns: 'int',
  fault: ([, zone]) => zoneFault(zone),
  sql: ([of = NULL], [, zone]) => sql`toInt64(toMinute(${of}, ${zoneOf(zone)}))`,
  examples: [
    ['minute(2026-11-19T14:53:20Z)', 53],
    ['minute(2026-06-30T23:30:00Z, "Asia/Kolkata")', 0],
  ],
};
