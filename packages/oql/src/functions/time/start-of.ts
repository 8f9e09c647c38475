import type { Value } from '../../check/value.ts';
import { NULL, type Sql, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { ZONE, zoneFault, zoneOf } from './zone.ts';

type Start = (of: Sql, zone: Sql) => Sql;

/** The first moment of a date, which is later than midnight where the clocks go forward at midnight. */
const ofDate =
  (date: Start): Start =>
  (of, zone) =>
    sql`toStartOfDay(toDateTime(${date(of, zone)}, ${zone}), ${zone})`;

const STARTS: Readonly<Record<string, Start>> = {
  minute: (of, zone) => sql`toStartOfMinute(${of}, ${zone})`,
  hour: (of, zone) => sql`toStartOfHour(${of}, ${zone})`,
  day: (of, zone) => sql`toStartOfDay(${of}, ${zone})`,
  week: ofDate((of, zone) => sql`toStartOfWeek(${of}, 1, ${zone})`),
  month: ofDate((of, zone) => sql`toStartOfMonth(${of}, ${zone})`),
  quarter: ofDate((of, zone) => sql`toStartOfQuarter(${of}, ${zone})`),
  year: ofDate((of, zone) => sql`toStartOfYear(${of}, ${zone})`),
};

function unitOf(unit: Value | undefined): string {
  return unit?.constant?.type === 'string' ? unit.constant.value : '';
}

export const startOf: ScalarFunction = {
  kind: 'scalar',
  name: 'start_of',
  doc: 'The start of the minute, hour, day, week (Monday), month, quarter or year that contains a time, in UTC, or in a time zone.',
  parameters: [{ name: 'of', type: 'timestamp' }, { name: 'unit', type: 'string', literal: true }, ZONE],
  returns: 'timestamp',
  fault: ([, unit, zone]) =>
    Object.hasOwn(STARTS, unitOf(unit)) ? zoneFault(zone) : `Use a unit of ${Object.keys(STARTS).join(', ')}.`,
  sql: ([of = NULL], [, unit, zone]) => {
    const found = STARTS[unitOf(unit)];
    return found === undefined ? NULL : sql`toDateTime64(${found(of, zoneOf(zone))}, 9, 'UTC')`;
  },
  examples: [
    ['start_of(2026-11-19T14:53:20Z, "day")', '2026-11-19T00:00:00Z'],
    ['start_of(2026-11-19T14:53:20Z, "week")', '2026-11-16T00:00:00Z'],
    ['start_of(2026-11-19T14:53:20Z, "month")', '2026-11-01T00:00:00Z'],
    ['start_of(2026-06-30T23:30:00Z, "month", "Europe/Dublin")', '2026-06-30T23:00:00Z'],
    ['start_of(2026-09-06T12:00:00Z, "day", "America/Santiago")', '2026-09-06T04:00:00Z'],
    ['start_of(2026-11-19T14:53:20Z, "hour", "Asia/Kolkata")', '2026-11-19T14:30:00Z'],
  ],
};
