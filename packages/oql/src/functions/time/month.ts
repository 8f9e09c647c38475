import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { ZONE, zoneFault, zoneOf } from './zone.ts';

export const month: ScalarFunction = {
  kind: 'scalar',
  name: 'month',
  doc: 'The month of a time in UTC, or in a time zone, 1 to 12.',
  parameters: [{ name: 'of', type: 'timestamp' }, ZONE],
  returns: 'int',
  fault: ([, zone]) => zoneFault(zone),
  sql: ([of = NULL], [, zone]) => sql`toInt64(toMonth(${of}, ${zoneOf(zone)}))`,
  examples: [
    ['month(2026-11-19T14:53:20Z)', 11],
    ['month(2026-06-30T23:30:00Z, "Europe/Dublin")', 7],
  ],
};
