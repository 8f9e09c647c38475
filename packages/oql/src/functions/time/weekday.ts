import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { ZONE, zoneFault, zoneOf } from './zone.ts';

export const weekday: ScalarFunction = {
  kind: 'scalar',
  name: 'weekday',
  doc: 'The day of the week of a time in UTC, or in a time zone: 1 is Monday, 7 is Sunday.',
  parameters: [{ name: 'of', type: 'timestamp' }, ZONE],
  returns: 'int',
  fault: ([, zone]) => zoneFault(zone),
  sql: ([of = NULL], [, zone]) => sql`toDayOfWeek(${of}, 0, ${zoneOf(zone)})`,
  examples: [
    ['weekday(2026-11-19)', 4],
    ['weekday(2026-06-30T23:30:00Z, "Europe/Dublin")', 3],
  ],
};
