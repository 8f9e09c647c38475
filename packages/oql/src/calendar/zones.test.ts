import { describe, expect, test } from 'vitest';
import { type CalendarStep, earlier } from './zones.ts';

const ns = (time: string) => BigInt(Date.parse(time)) * 1_000_000n;
const days = (count: bigint): CalendarStep => ({ unit: 'day', count });
const months = (count: bigint): CalendarStep => ({ unit: 'month', count });

describe('earlier', () => {
  const cases: readonly (readonly [zone: string, from: string, step: CalendarStep, to: string])[] = [
    ['UTC', '2026-03-31T12:00:00Z', months(1n), '2026-02-28T12:00:00Z'],
    ['UTC', '2026-01-01T00:00:00Z', months(1n), '2025-12-01T00:00:00Z'],
    ['UTC', '2024-02-29T01:02:03Z', months(12n), '2023-02-28T01:02:03Z'],
    // The clocks of Dublin went forward on 29 March 2026: that day has 23 hours.
    ['Europe/Dublin', '2026-03-30T11:00:00Z', days(1n), '2026-03-29T11:00:00Z'],
    ['Europe/Dublin', '2026-03-29T23:00:00Z', days(1n), '2026-03-29T00:00:00Z'],
    ['Europe/Dublin', '2026-04-30T23:00:00Z', months(1n), '2026-03-31T23:00:00Z'],
    ['Europe/Dublin', '2026-03-31T23:00:00Z', months(1n), '2026-03-01T00:00:00Z'],
    ['Europe/Dublin', '2026-11-01T00:00:00Z', months(1n), '2026-09-30T23:00:00Z'],
    // 02:30 does not exist on 29 March in Berlin; it is read as 03:30.
    ['Europe/Berlin', '2026-03-30T00:30:00Z', days(1n), '2026-03-29T01:30:00Z'],
    // 02:30 exists twice on 25 October in Berlin; the first one counts.
    ['Europe/Berlin', '2026-10-26T01:30:00Z', days(1n), '2026-10-25T00:30:00Z'],
    // No midnight on 6 September in Santiago: the day begins at 01:00.
    ['America/Santiago', '2026-09-07T03:00:00Z', days(1n), '2026-09-06T04:00:00Z'],
    ['Asia/Kolkata', '2026-09-07T18:30:00Z', days(7n), '2026-08-31T18:30:00Z'],
  ];
  test.each(cases)('in %s, from %s by %o', (zone, from, step, to) => {
    expect(new Date(Number(earlier(ns(from) + 7n, step, zone) / 1_000_000n)).toISOString()).toBe(
      new Date(to).toISOString(),
    );
    expect(earlier(ns(from) + 7n, step, zone) % 1_000_000n).toBe(7n);
  });
});
