import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { ZONE, zoneFault, zoneOf } from './zone.ts';

export const hour: ScalarFunction = {
  kind: 'scalar',
  name: 'hour',
  doc: 'The hour of a time in UTC, or in a time zone, 0 to 23.',
  parameters: [{ name: 'of', type: 'timestamp' }, ZONE],
  returns: 'int',
  fault: ([, zone]) => zoneFault(zone),
  sql: ([of = NULL], [, zone]) => sql`toHour(${of}, ${zoneOf(zone)})`,
  examples: [
    ['hour(2026-11-19T14:53:20Z)', 14],
    ['hour(2026-06-30T23:30:00Z, "Europe/Dublin")', 0],
  ],
};
