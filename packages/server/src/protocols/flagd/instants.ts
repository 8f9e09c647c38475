import { all, any, differs, equals, isLonger, it, joined, type Logic, merged, not, oneOf, part } from './logic.ts';

/*
 * RFC 3339 in JsonLogic: `2026-05-01T08:30:00.5+02:00`. The first 19 characters have fixed places; the zone is at the end, and a fraction between them.
 */

/** What is no instant. In Go, `reduce` cannot give null where it gives numbers. */
export const never = Number.MAX_VALUE;

/** A `reduce` over a single list names its elements for `logic`. In Go, they are only evaluated inside of another expression. */
const named = (values: readonly Logic[], logic: Logic): Logic => ({ reduce: [merged([values]), logic, 0] });
const value = (at: number): Logic => ({ var: `current.${at}` });

const number = (text: Logic): Logic => ({ '+': [text] });
const areDigits = (text: Logic, places: readonly number[]): Logic[] =>
  places.map((at) => ({ in: [part(text, at, 1), '0123456789'] }));
const isAt = (text: Logic, at: number, chars: readonly string[]): Logic => oneOf(part(text, at, 1), chars);

const dateLength = 19;
/** A fraction of no time. */
const none = '-';
const isUtc = oneOf(part(it, -1), ['Z', 'z']);
const parts: readonly Logic[] = [
  it,
  { if: [isUtc, '+00:00', part(it, -6)] },
  // The evaluator for Go fails at a part that ends before it begins.
  {
    if: [
      not(isLonger(it, dateLength)),
      none,
      isUtc,
      part(it, dateLength, -1),
      isLonger(it, dateLength + 5),
      part(it, dateLength, -6),
      none,
    ],
  },
  { if: [isUtc, part(it, -1), part(it, -6)] },
];
const [text, zone, fraction, end] = [value(0), value(1), value(2), value(3)] as const;

const hasForm = all([
  isLonger(text, dateLength),
  equals(joined(part(text, 0, dateLength), fraction, end), text),
  ...areDigits(text, [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]),
  ...[4, 7].map((at) => isAt(text, at, ['-'])),
  isAt(text, 10, ['T', 't', ' ']),
  ...[13, 16].map((at) => isAt(text, at, [':'])),
  any([
    equals(fraction, ''),
    all([
      isAt(fraction, 0, ['.']),
      differs(part(fraction, 1), ''),
      ...areDigits(joined(fraction, '00000000'), [1, 2, 3, 4, 5, 6, 7, 8, 9]),
      not(isLonger(fraction, 10)),
    ]),
  ]),
  isAt(zone, 0, ['+', '-']),
  ...areDigits(zone, [1, 2, 4, 5]),
  isAt(zone, 3, [':']),
]);

const numbers: readonly Logic[] = [
  ...[
    [0, 4],
    [5, 2],
    [8, 2],
    [11, 2],
    [14, 2],
    [17, 2],
  ].map(([at = 0, length = 0]) => number(part(text, at, length))),
  number(part(zone, 1, 2)),
  number(part(zone, 4, 2)),
  { if: [isAt(zone, 0, ['-']), 1, -1] },
  { '*': [number(joined('0', fraction)), 1_000] },
];
const [year, month, day, hour, minute, second] = [value(0), value(1), value(2), value(3), value(4), value(5)] as const;
const [zoneHour, zoneMinute, zoneSign, milliseconds] = [value(6), value(7), value(8), value(9)] as const;

const isMultiple = (of: number): Logic => equals({ '%': [year, of] }, 0);
const isLeapYear = all([isMultiple(4), any([not(isMultiple(100)), isMultiple(400)])]);
const daysInMonth: Logic = {
  if: [equals(month, 2), { if: [isLeapYear, 29, 28] }, oneOf(month, [4, 6, 9, 11]), 30, 31],
};
const atMost = (of: Logic, most: Logic): Logic => ({ '<=': [of, most] });
const exists = all([
  atMost(1, month),
  atMost(month, 12),
  atMost(1, day),
  atMost(day, daysInMonth),
  atMost(hour, 23),
  atMost(minute, 59),
  atMost(second, 60),
  atMost(zoneHour, 23),
  atMost(zoneMinute, 59),
]);

/** Rounds a number that is not negative down. */
const whole = (of: Logic): Logic => ({ '-': [of, { '%': [of, 1] }] });
/** Years begin with March, so that a leap day is the last; 400 more, so that none is negative. */
const isEarly: Logic = { '<': [month, 3] };
const years: Logic = { '+': [year, { if: [isEarly, 399, 400] }] };
const months: Logic = { '+': [month, { if: [isEarly, 9, -3] }] };
/** From March of the year -400 to 1970, less the first day of a month. */
const daysBefore = 719_468 + 146_097 + 1;
const leapDays: Logic = {
  '-': [{ '+': [whole({ '/': [years, 4] }), whole({ '/': [years, 400] })] }, whole({ '/': [years, 100] })],
};
const daysOfMonths = whole({ '/': [{ '+': [{ '*': [months, 153] }, 2] }, 5] });
const days: Logic = { '+': [{ '*': [years, 365] }, leapDays, daysOfMonths, day, -daysBefore] };
const zoneMinutes: Logic = { '*': [zoneSign, { '+': [{ '*': [zoneHour, 60] }, zoneMinute] }] };
const minutes: Logic = { '+': [{ '*': [days, 1_440] }, { '*': [hour, 60] }, minute, zoneMinutes] };
const sum: Logic = { '+': [{ '+': [{ '*': [minutes, 60_000] }, { '*': [second, 1_000] }] }, milliseconds] };

/** The milliseconds since 1970 of a text that is an instant; otherwise `never`. */
export const millisecondsOf: Logic = named(parts, {
  if: [hasForm, named(numbers, { if: [exists, sum, never] }), never],
});
