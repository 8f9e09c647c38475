import type { Value } from '../../check/value.ts';
import { NULL, type Sql, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

const STARTS: Readonly<Record<string, (of: Sql) => Sql>> = {
  minute: (of) => sql`toStartOfMinute(${of})`,
  hour: (of) => sql`toStartOfHour(${of})`,
  day: (of) => sql`toStartOfDay(${of}, 'UTC')`,
  week: (of) => sql`toStartOfWeek(${of}, 1, 'UTC')`,
  month: (of) => sql`toStartOfMonth(${of}, 'UTC')`,
  quarter: (of) => sql`toStartOfQuarter(${of}, 'UTC')`,
  year: (of) => sql`toStartOfYear(${of}, 'UTC')`,
};

function unitOf(unit: Value | undefined): string {
  return unit?.constant?.type === 'string' ? unit.constant.value : '';
}

export const startOf: ScalarFunction = {
  kind: 'scalar',
  name: 'start_of',
  doc: 'The start of the minute, hour, day, week (Monday), month, quarter or year that contains a time, in UTC.',
  parameters: [
    { name: 'of', type: 'timestamp' },
    { name: 'unit', type: 'string', literal: true },
  ],
  returns: 'timestamp',
  fault: ([, unit]) =>
    Object.hasOwn(STARTS, unitOf(unit)) ? undefined : `Use a unit of ${Object.keys(STARTS).join(', ')}.`,
  sql: ([of = NULL], [, unit]) => {
    const found = STARTS[unitOf(unit)];
    return found === undefined ? NULL : sql`toDateTime64(${found(of)}, 9, 'UTC')`;
  },
  examples: [
    ['start_of(2026-11-19T14:53:20Z, "day")', '2026-11-19T00:00:00Z'],
    ['start_of(2026-11-19T14:53:20Z, "week")', '2026-11-16T00:00:00Z'],
    ['start_of(2026-11-19T14:53:20Z, "month")', '2026-11-01T00:00:00Z'],
  ],
};
