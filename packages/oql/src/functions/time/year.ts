import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { ZONE, zoneFault, zoneOf } from './zone.ts';

export const year: ScalarFunction = {
  kind: 'scalar',
  name: 'year',
  doc: 'The year of a time in UTC, or in a time zone.',
  parameters: [{ name: 'of', type: 'timestamp' }, ZONE],
  returns: 'int',
  fault: ([, zone]) => zoneFault(zone),
  sql: ([of = NULL], [, zone]) => sql`toInt64(toYear(${of}, ${zoneOf(zone)}))`,
  examples: [
    ['year(2026-11-19T14:53:20Z)', 2026],
    ['year(2026-12-31T23:30:00Z, "Europe/Berlin")', 2027],
  ],
};
