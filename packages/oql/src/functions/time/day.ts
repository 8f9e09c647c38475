import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { ZONE, zoneFault, zoneOf } from './zone.ts';

export const day: ScalarFunction = {
  kind: 'scalar',
  name: 'day',
  doc: 'The day of the month of a time in UTC, or in a time zone, 1 to 31.',
  parameters: [{ name: 'of', type: 'timestamp' }, ZONE],
  returns: 'int',
  fault: ([, zone]) => zoneFault(zone),
  sql: ([of = NULL], [, zone]) => sql`toInt64(toDayOfMonth(${of}, ${zoneOf(zone)}))`,
  examples: [
    ['day(2026-11-19T14:53:20Z)', 19],
    ['day(2026-06-30T23:30:00Z, "Europe/Dublin")', 1],
  ],
};
