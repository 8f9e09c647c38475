import type { Scalar } from '../ruleset.ts';
import { MAX_TRIED_VALUES, type Operator } from './operator.ts';

/** `before` and `after`: instants, as RFC 3339 text or as a number of milliseconds since 1970; strictly. */
export const before = dateOperator((actual, value) => actual < value);
export const after = dateOperator((actual, value) => actual > value);

function dateOperator(compare: (actual: number, value: number) => boolean): Operator {
  return {
    check: (value) =>
      parseInstant(value) === undefined ? 'must be an RFC 3339 time with an offset, or epoch milliseconds' : undefined,
    compares: 'time',
    maxValues: MAX_TRIED_VALUES,
    compile: (values) => {
      const instants = values.map(parseInstant).filter((instant) => instant !== undefined);
      return (actual) => {
        const instant = parseInstant(actual);
        return instant !== undefined && instants.some((value) => compare(instant, value));
      };
    },
  };
}

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Milliseconds since 1970, with the fraction below a millisecond kept; undefined if invalid. The offset is required,
 * since a local time is a different instant wherever it is evaluated; dates must exist (no 30 February), and a leap
 * second is the first instant of the next minute (RFC 3339, section 5.6).
 */
export function parseInstant(value: Scalar): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  // Longest form: 35 characters. The check keeps a hostile attribute away from the pattern.
  if (typeof value !== 'string' || value.length > 35) return undefined;
  const match = RFC_3339.exec(value);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60) {
    return undefined;
  }
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * (match[8] === '-' ? -1 : 1);
  // Date.UTC reads years below 100 as 19xx; setUTCFullYear does not.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offset, second);
  return date.getTime() + Number(`0${match[7] ?? ''}`) * 1000;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
