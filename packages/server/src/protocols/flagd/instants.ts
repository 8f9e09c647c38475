import { all, any, differs, equals, it, joined, type Logic, not, oneOf, part } from './logic.ts';

/*
 * RFC 3339 in JsonLogic: `2026-05-01T08:30:00.5+02:00`. The first 19 characters have fixed places; the zone is at the end, and a fraction between them.
 */

const number = (text: Logic): Logic => ({ '+': [text] });
/** Also true beyond the end of a text. */
const areDigits = (text: Logic, places: readonly number[]): Logic[] =>
  places.map((at) => ({ in: [part(text, at, 1), '0123456789'] }));
const isAt = (text: Logic, at: number, chars: readonly string[]): Logic => oneOf(part(text, at, 1), chars);

const dateLength = 19;
const zoneLength: Logic = { if: [oneOf(part(it, -1), ['Z', 'z']), 1, 6] };
const zone = part(it, { '-': [zoneLength] });
const fraction = part(it, dateLength, { '-': [zoneLength] });

const hasForm: readonly Logic[] = [
  differs(part(it, dateLength), ''),
  equals(joined(part(it, 0, dateLength), fraction, zone), it),
  ...areDigits(it, [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]),
  ...[4, 7].map((at) => isAt(it, at, ['-'])),
  isAt(it, 10, ['T', 't', ' ']),
  ...[13, 16].map((at) => isAt(it, at, [':'])),
  any([
    equals(fraction, ''),
    all([
      isAt(fraction, 0, ['.']),
      differs(part(fraction, 1), ''),
      ...areDigits(fraction, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
      equals(part(fraction, 10), ''),
    ]),
  ]),
  any([
    equals(zoneLength, 1),
    all([isAt(zone, 0, ['+', '-']), ...areDigits(zone, [1, 2, 4, 5]), isAt(zone, 3, [':'])]),
  ]),
];

const [year, month, day, hour, minute, second] = [
  number(part(it, 0, 4)),
  number(part(it, 5, 2)),
  number(part(it, 8, 2)),
  number(part(it, 11, 2)),
  number(part(it, 14, 2)),
  number(part(it, 17, 2)),
] as const;
const [zoneHour, zoneMinute] = [number(part(zone, 1, 2)), number(part(zone, 4, 2))] as const;

const isMultiple = (of: number): Logic => equals({ '%': [year, of] }, 0);
const isLeapYear = all([isMultiple(4), any([not(isMultiple(100)), isMultiple(400)])]);
const daysInMonth: Logic = {
  if: [equals(month, 2), { if: [isLeapYear, 29, 28] }, oneOf(month, [4, 6, 9, 11]), 30, 31],
};
const exists: readonly Logic[] = [
  { '<=': [1, month] },
  { '<=': [month, 12] },
  { '<=': [1, day] },
  { '<=': [day, daysInMonth] },
  { '<=': [hour, 23] },
  { '<=': [minute, 59] },
  { '<=': [second, 60] },
  any([equals(zoneLength, 1), all([{ '<=': [zoneHour, 23] }, { '<=': [zoneMinute, 59] }])]),
];

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
const zoneMinutes: Logic = {
  if: [
    equals(zoneLength, 1),
    0,
    { '*': [{ if: [isAt(zone, 0, ['-']), 1, -1] }, { '+': [{ '*': [zoneHour, 60] }, zoneMinute] }] },
  ],
};
const minutes: Logic = { '+': [{ '*': [days, 1_440] }, { '*': [hour, 60] }, minute, zoneMinutes] };

/** Whether a text is an instant. */
export const isInstant = all([...hasForm, ...exists]);

/** The milliseconds since 1970 of an instant. */
export const millisecondsOf: Logic = {
  '+': [
    { '+': [{ '*': [minutes, 60_000] }, { '*': [second, 1_000] }] },
    { '*': [number(joined('0', fraction)), 1_000] },
  ],
};
