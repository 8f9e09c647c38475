import { integer, type Sql, sql, text } from '../sql/sql.ts';
import { type CalendarStep, FIRST_MONDAY } from './zones.ts';

/** Buckets of whole days or months in a time zone. */
export interface Calendar extends CalendarStep {
  readonly zone: string;
  /** The number of the bucket that contains a time: one more than that of the bucket before it. */
  readonly number: (time: Sql) => Sql;
  /** The time at which the bucket with a number begins. */
  readonly start: (number: Sql) => Sql;
}

export function calendarOf({ unit, count }: CalendarStep, zone: string): Calendar {
  const place = text(zone);
  const step = integer(count);
  // A day without a midnight begins after the clocks have gone forward.
  const beginning = (date: Sql) => sql`toDateTime(toStartOfDay(toDateTime(${date}, ${place}), ${place}), 'UTC')`;
  if (unit === 'month') {
    const months = (number: Sql) => sql`(${number} * ${step})`;
    return {
      ...{ unit, count, zone },
      number: (time) => sql`toInt32(intDiv(toRelativeMonthNum(${time}, ${place}) - 1, ${step}))`,
      start: (number) =>
        beginning(sql`makeDate(intDiv(${months(number)}, 12), toUInt8(${months(number)} % 12 + 1), 1)`),
    };
  }
  const offset = integer(count % 7n === 0n ? FIRST_MONDAY : 0n);
  return {
    ...{ unit, count, zone },
    number: (time) => sql`intDiv(toInt32(toDate(${time}, ${place})) - ${offset}, ${step})`,
    start: (number) => beginning(sql`toDate(${number} * ${step} + ${offset})`),
  };
}

/** The start of the bucket that contains a time. */
export function startOf(calendar: Calendar, time: Sql): Sql {
  return calendar.start(calendar.number(time));
}
