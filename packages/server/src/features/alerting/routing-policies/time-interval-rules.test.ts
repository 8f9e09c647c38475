import { describe, expect, it } from 'vitest';
import {
  containsTime,
  InvalidInterval,
  isMuted,
  parseTimeInterval,
  type TimeIntervalInput,
} from './time-interval-rules.ts';

const office = { times: [{ start: '09:00', end: '17:00' }], weekdays: ['monday:friday'] };
const contains = (input: TimeIntervalInput, time: string) => containsTime(parseTimeInterval(input), Date.parse(time));

/**
 * Facts of Alertmanager's timeinterval/timeinterval_test.go (https://github.com/prometheus/alertmanager at 68fb2d5, Apache-2.0, The
 * Prometheus Authors), in our form.
 */
const facts: readonly (readonly [string, TimeIntervalInput, readonly string[], readonly string[]])[] = [
  ['nothing given', {}, ['2006-01-02T15:04Z', '2007-01-03T10:04Z', '2006-01-04T09:04Z'], []],
  [
    'office hours',
    office,
    [
      '2020-05-04T15:04Z',
      '2020-05-05T10:04Z',
      '2020-06-09T09:04Z',
      '2020-07-08T09:00Z',
      '2020-07-08T16:59Z',
      '2021-04-01T13:00Z',
    ],
    ['2020-05-03T15:04Z', '2020-05-04T08:59Z', '2020-05-05T05:00Z', '2020-07-08T05:00Z', '2020-07-08T08:59Z'],
  ],
  [
    'Easter 2020',
    { days_of_month: ['4:6'], months: ['april'], years: ['2020'] },
    ['2020-04-04T15:04Z', '2020-04-05T00:00Z', '2020-04-06T23:05Z'],
    ['2018-05-03T15:04Z', '2020-04-03T23:59Z', '2020-06-04T23:59Z', '2019-04-06T23:59Z', '2020-04-07T00:00Z'],
  ],
  [
    'the last three days of a month',
    { days_of_month: ['-3:-1'] },
    ['2020-01-31T15:04Z', '2020-01-30T15:04Z', '2020-01-29T15:04Z', '2020-06-30T00:00Z', '2020-02-29T23:05Z'],
    [
      '2018-05-03T15:04Z',
      '2020-01-27T15:04Z',
      '2020-04-03T23:59Z',
      '2020-06-04T23:59Z',
      '2019-04-06T23:59Z',
      '2020-04-07T00:00Z',
      '2020-03-01T00:00Z',
    ],
  ],
  [
    'days beyond the end of a month',
    { days_of_month: ['1:31'], months: ['6'] },
    ['2020-06-30T00:00Z', '2020-06-01T00:00Z'],
    ['2020-05-31T00:00Z', '2020-07-01T00:00Z'],
  ],
  [
    'days that February does not have',
    { days_of_month: ['30:31'], years: ['2020:2023'], months: ['february'] },
    [],
    ['2021-02-28T13:00Z'],
  ],
  [
    'another time zone',
    { ...office, time_zone: 'Australia/Sydney' },
    ['2021-04-06T13:00+10:00'],
    ['2021-04-06T13:00Z'],
  ],
  [
    'another time zone in summer time',
    { ...office, months: ['november'], time_zone: 'Australia/Sydney' },
    ['2021-11-01T09:00+11:00', '2021-10-31T22:00Z'],
    ['2021-10-31T21:00Z'],
  ],
  [
    'the last day of a month with a change of clock',
    { days_of_month: ['-1'], time_zone: 'America/New_York' },
    ['2021-03-31T12:00-04:00'],
    ['2021-03-30T12:00-04:00'],
  ],
  [
    'several ranges of each kind',
    {
      weekdays: ['monday:friday', 'sunday'],
      months: ['january:march'],
      days_of_month: ['-7:-1'],
      years: ['2020:2025', '2030:2035'],
      times: [{ start: '09:00', end: '17:00' }],
    },
    ['2021-01-27T09:00Z', '2021-01-28T16:59Z', '2021-01-29T13:00Z', '2025-03-31T13:00Z', '2035-01-31T13:00Z'],
    ['2021-01-30T13:00Z', '2021-04-01T13:00Z', '2026-01-30T13:00Z', '2035-01-31T17:01Z'],
  ],
  [
    'a range that ends with the month',
    {
      weekdays: ['monday:wednesday', 'saturday', 'sunday'],
      times: [{ start: '13:00', end: '15:00' }],
      days_of_month: ['1', '10', '20:-1'],
      years: ['2020:2023'],
      months: ['january:march'],
    },
    ['2021-01-10T13:00Z', '2021-01-30T14:24Z'],
    ['2021-01-09T13:00Z', '2021-01-20T12:59Z', '2021-02-02T13:00Z'],
  ],
];

describe('a time interval', () => {
  it.each(facts)('contains what Alertmanager says: %s', (_name, input, inside, outside) => {
    expect(inside.filter((time) => !contains(input, time))).toEqual([]);
    expect(outside.filter((time) => contains(input, time))).toEqual([]);
  });

  it('reads the wall clock on the days on which it changes', () => {
    const night = { times: [{ start: '02:00', end: '03:00' }], time_zone: 'Europe/Berlin' };
    // 2026-03-29: from 02:00 to 03:00 at 01:00 UTC, so that there is no 02:30.
    expect(contains(night, '2026-03-29T00:59Z')).toBe(false);
    expect(contains(night, '2026-03-29T01:00Z')).toBe(false);
    // 2026-10-25: from 03:00 back to 02:00 at 01:00 UTC, so that 02:30 comes twice.
    expect(['2026-10-25T00:30Z', '2026-10-25T01:30Z'].map((time) => contains(night, time))).toEqual([true, true]);
    expect(contains(night, '2026-10-25T02:00Z')).toBe(false);
    const midnight = { times: [{ start: '00:00', end: '00:01' }], time_zone: 'Europe/Berlin' };
    expect([contains(midnight, '2026-03-28T23:00Z'), contains(midnight, '2026-10-25T23:00Z')]).toEqual([true, true]);
  });

  it.each([
    ['an empty range of time', { times: [{ start: '17:31', end: '17:31' }] }],
    ['an end after midnight', { times: [{ start: '12:30', end: '24:01' }] }],
    ['a start after the end', { times: [{ start: '09:30', end: '07:41' }] }],
    ['a start at midnight of the next day', { times: [{ start: '24:00', end: '17:41' }] }],
    ['minutes that no hour has', { times: [{ start: '01:99', end: '23:59' }] }],
    ['hours that no day has', { times: [{ start: '00:00', end: '99:99' }] }],
    ['a week that ends before it begins', { weekdays: ['friday:monday'] }],
    ['an unknown weekday', { weekdays: ['blurgsday:flurgsday'] }],
    ['a weekday as a number', { weekdays: ['1:3'] }],
    ['the day 0', { days_of_month: ['0'] }],
    ['the day 32', { days_of_month: ['1:32'] }],
    ['the day -32', { days_of_month: ['-32:-1'] }],
    ['days from the end to the beginning', { days_of_month: ['-5:2'] }],
    ['days that end before they begin', { days_of_month: ['10:5'] }],
    ['days from the end that end before they begin', { days_of_month: ['-1:-5'] }],
    ['an unknown month', { months: ['martius:june'] }],
    ['a 13th month', { months: ['13'] }],
    ['months that end before they begin', { months: ['december:april'] }],
    ['an invalid year', { years: ['01234'] }],
    ['years that end before they begin', { years: ['2030:2020'] }],
    ['three parts', { years: ['2020:2021:2022'] }],
    ['an unknown time zone', { time_zone: 'Mars/Phobos' }],
  ])('is refused with %s', (_name, input) => {
    expect(() => parseTimeInterval(input)).toThrow(InvalidInterval);
  });
});

describe('muting', () => {
  const minute = 60_000;
  const night = { times: [{ start: '02:00', end: '03:00' }], time_zone: 'Europe/Berlin' };
  const sunday = { times: [{ start: '00:00', end: '24:00' }], weekdays: ['sunday'], time_zone: 'Europe/Berlin' };
  const halfHours = { times: [{ start: '01:30', end: '02:00' }], time_zone: 'Australia/Lord_Howe' };
  /** How many minutes of a UTC day an interval mutes, and how many it leaves if it is the only active one. */
  const minutesOf = (input: TimeIntervalInput, date: string) => {
    const intervals = [parseTimeInterval(input)];
    const times = Array.from({ length: 1_440 }, (_, i) => Date.parse(`${date}T00:00Z`) + i * minute);
    const count = (of: Parameters<typeof isMuted>[0]) => times.filter((at) => isMuted(of, at)).length;
    return [count({ mute: intervals, active: [] }), 1_440 - count({ mute: [], active: intervals })];
  };

  it.each([
    ['an hour that the clock skips lasts no time', night, '2026-03-29', 0],
    ['an hour that comes twice lasts two hours', night, '2026-10-25', 120],
    ['the same hour on another day lasts an hour', night, '2026-10-24', 60],
    // A day of the zone begins in the UTC day before it.
    ['a Sunday of 23 hours ends at 22:00 UTC', sunday, '2026-03-29', 22 * 60],
    ['a Sunday of 25 hours ends at 23:00 UTC', sunday, '2026-10-25', 23 * 60],
    ['a change by half an hour', halfHours, '2026-04-04', 60],
  ] as const)('across a change of clock: %s', (_name, input, date, minutes) => {
    expect(minutesOf(input, date)).toEqual([minutes, minutes]);
  });

  const [at, off] = ['2020-05-04T15:04Z', '2020-05-03T15:04Z'].map((time) => Date.parse(time));
  it.each([
    ['nothing', [], [], [false, false]],
    ['a mute interval', [office], [], [true, false]],
    ['an active interval', [], [office], [false, true]],
    ['both: mute wins', [office], [office], [true, true]],
  ] as const)('by %s', (_name, mute, active, [duringOffice, onSunday]) => {
    const intervals = { mute: mute.map(parseTimeInterval), active: active.map(parseTimeInterval) };
    expect([isMuted(intervals, at ?? 0), isMuted(intervals, off ?? 0)]).toEqual([duringOffice, onSunday]);
  });
});
