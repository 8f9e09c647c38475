import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { timeTicks } from '../chart/axis.ts';
import { parseRangeText } from '../time/time-range.ts';
import { formatTimestamp } from './time.ts';
import { currentZone, isZone, onZoneChange, parseWallClock, setZone, wallClock, zoneOffset } from './zone.ts';

afterEach(() => setZone('local'));

const summer = Date.UTC(2026, 6, 1, 10, 30);

it.each([
  ['UTC', 0],
  ['Europe/Berlin', 2],
  ['Asia/Kolkata', 5.5],
  ['America/New_York', -4],
])('%s is %s hours ahead of UTC in summer', (zone, hours) => expect(zoneOffset(summer, zone)).toBe(hours * 3_600_000));

it('writes times, ticks and ranges in the chosen zone', () => {
  setZone('Asia/Kolkata');
  expect(formatTimestamp(summer)).toBe('2026-07-01 16:00:00');
  expect(formatTimestamp(summer, { utc: true })).toBe('2026-07-01 10:30:00');
  expect(timeTicks([summer, summer + 8.5 * 3_600_000], 3_600_000)).toEqual(['16:00', '00:30\n07-02']);
  expect(parseRangeText('2026-07-01 16:00 to 2026-07-01 17:00', summer)).toEqual({
    from: '2026-07-01T10:30:00.000Z',
    to: '2026-07-01T11:30:00.000Z',
  });
});

it('reads back what it writes, in any zone, except in the hour that occurs twice', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York', 'Pacific/Chatham');
  const days = fc.integer({ min: 0, max: 3650 }).map((day) => Date.UTC(2020, 0, 1, 18) + day * 86_400_000);
  fc.assert(
    fc.property(zones, days, (zone, time) => {
      const text = wallClock(time, zone).toISOString().slice(0, 19);
      expect(parseWallClock(text, zone)).toBe(time);
    }),
  );
});

it('follows a change of clocks', () => {
  expect(zoneOffset(Date.UTC(2026, 2, 29, 0, 59), 'Europe/Berlin')).toBe(3_600_000);
  expect(zoneOffset(Date.UTC(2026, 2, 29, 1, 0), 'Europe/Berlin')).toBe(7_200_000);
});

it('falls back to the local zone for an unknown name, and reports changes', () => {
  let changes = 0;
  const stop = onZoneChange(() => changes++);
  setZone('UTC');
  setZone('Mars/Olympus');
  stop();
  setZone('UTC');
  expect([changes, currentZone(), isZone('Mars/Olympus')]).toEqual([2, 'UTC', false]);
});

it.each(['10:00', 'yesterday', '2026-13-01', '2026-05-01T10:00:00Z'])('does not read %s as a wall clock', (text) =>
  expect(parseWallClock(text, 'UTC')).toBeUndefined(),
);
