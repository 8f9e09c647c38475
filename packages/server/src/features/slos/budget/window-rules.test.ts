import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nominalPeriodMs, windowAt } from './window-rules.ts';
import { startOfUnit } from './zone-rules.ts';

const hour = 3_600_000;
const day = 24 * hour;
const at = (text: string) => Date.parse(text);
const shown = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

describe('a window', () => {
  it('that rolls ends now and begins with a whole minute', () => {
    const now = at('2026-11-22T09:30:29.500Z');
    const { fromMs, toMs, endMs } = windowAt({ kind: 'rolling', period: '7d' }, now);
    expect([shown(fromMs), toMs, endMs]).toEqual(['2026-11-15T09:30:00.000Z', now, undefined]);
  });

  it.each([
    [
      'week',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      '2026-03-22T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      7 * day - hour,
    ],
    [
      'week',
      'Europe/Berlin',
      '2026-10-25T12:00:00Z',
      '2026-10-18T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      7 * day + hour,
    ],
    [
      'month',
      'Europe/Berlin',
      '2026-10-31T23:30:00Z',
      '2026-10-31T23:00:00.000Z',
      '2026-11-30T23:00:00.000Z',
      30 * day,
    ],
    [
      'month',
      'America/New_York',
      '2026-03-01T04:59:00Z',
      '2026-02-01T05:00:00.000Z',
      '2026-03-01T05:00:00.000Z',
      28 * day,
    ],
    [
      'quarter',
      'Asia/Kolkata',
      '2026-02-10T00:00:00Z',
      '2025-12-31T18:30:00.000Z',
      '2026-03-31T18:30:00.000Z',
      90 * day,
    ],
    ['month', 'UTC', '2028-02-29T10:00:00Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z', 29 * day],
    // Clocks in Chile go from 24:00 to 01:00 on 6 September 2026, a Sunday.
    [
      'week',
      'America/Santiago',
      '2026-09-06T12:00:00Z',
      '2026-08-31T04:00:00.000Z',
      '2026-09-07T03:00:00.000Z',
      7 * day - hour,
    ],
    // Midnight of 1 November 2026 comes twice in Havana, at 04:00 and at 05:00 UTC.
    [
      'month',
      'America/Havana',
      '2026-11-01T04:30:00Z',
      '2026-11-01T04:00:00.000Z',
      '2026-12-01T05:00:00.000Z',
      30 * day + hour,
    ],
  ] as const)('by %s in %s at %s', (unit, time_zone, now, from, end, periodMs) => {
    const window = windowAt({ kind: 'calendar', unit, time_zone }, at(now));
    expect([shown(window.fromMs), shown(window.endMs), window.periodMs]).toEqual([from, end, periodMs]);
  });

  it('has the nominal length of its unit for alerts', () => {
    const time_zone = 'UTC';
    expect(nominalPeriodMs({ kind: 'rolling', period: '28d' })).toBe(28 * day);
    expect(nominalPeriodMs({ kind: 'calendar', unit: 'month', time_zone })).toBe(30 * day);
    expect(nominalPeriodMs({ kind: 'calendar', unit: 'quarter', time_zone })).toBe(90 * day);
  });

  it('of a calendar contains its moment, and the next one begins where it ends', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/Sao_Paulo',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'America/Havana',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom('week', 'month', 'quarter'),
        fc.constantFrom(...zones),
        fc.integer({ min: at('1995-01-01T00:00:00Z'), max: at('2060-01-01T00:00:00Z') }),
        (unit, zone, ms) => {
          const [start, end] = [startOfUnit(unit, zone, ms, 0), startOfUnit(unit, zone, ms, 1)];
          return (
            start <= ms &&
            ms < end &&
            startOfUnit(unit, zone, end, 0) === end &&
            startOfUnit(unit, zone, end - 1, 0) === start
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
