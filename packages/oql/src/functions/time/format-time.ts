import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { ZONE, zoneFault, zoneOf } from './zone.ts';

export const formatTime: ScalarFunction = {
  kind: 'scalar',
  name: 'format_time',
  doc: 'A time in UTC, or in a time zone, as text: %Y year, %m month, %d day, %H hour, %i minute, %S second, %a weekday, %b month by name.',
  parameters: [{ name: 'of', type: 'timestamp' }, { name: 'format', type: 'string', literal: true }, ZONE],
  returns: 'string',
  fault: ([, format, zone]) =>
    format?.constant?.type === 'string' && /^(?:[^%]|%[YmdHiSabejyMhIpTFRDf%])*$/.test(format.constant.value)
      ? zoneFault(zone)
      : 'After `%`, use one of Y m d H i S a b e j y M h I p T F R D f %.',
  sql: ([of = NULL, format = NULL], [, , zone]) => sql`formatDateTime(${of}, ${format}, ${zoneOf(zone)})`,
  examples: [
    ['format_time(2026-11-19T14:53:20Z, "%d.%m.%Y %H:%i")', '19.11.2026 14:53'],
    ['format_time(2026-06-30T23:30:00Z, "%d.%m.%Y %H:%i", "Europe/Dublin")', '01.07.2026 00:30'],
  ],
};
