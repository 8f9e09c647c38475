import { describe, expect, it } from 'vitest';
import {
  absoluteRange,
  DEFAULT_RANGE,
  describeRange,
  parseRangeText,
  previousRange,
  rangeFromSearch,
  resolveRange,
  resolveTime,
  zoomOut,
} from './time-range.ts';

const now = Date.UTC(2026, 4, 1, 12);
const hour = 3_600_000;

describe('resolveTime', () => {
  it('reads relative, epoch and RFC 3339 times', () => {
    expect(resolveTime('now', now)).toBe(now);
    expect(resolveTime('now-1h', now)).toBe(now - hour);
    expect(resolveTime('now+5m', now)).toBe(now + 300_000);
    expect(resolveTime(String(now), now)).toBe(now);
    expect(resolveTime('2026-05-01T12:00:00Z', now)).toBe(now);
    expect(resolveTime('yesterday-ish', now)).toBeNull();
  });
});

it.each([
  [
    { from: 'now-1h', to: 'now' },
    { from: 'now-7200s', to: 'now-3600s' },
  ],
  [
    { from: 'now-2h', to: 'now-1h' },
    { from: 'now-10800s', to: 'now-7200s' },
  ],
  [
    { from: 'now-5m', to: 'now+5m' },
    { from: 'now-900s', to: 'now-300s' },
  ],
  [
    { from: '2026-05-01T11:00:00.000Z', to: '2026-05-01T11:30:00.000Z' },
    { from: '2026-05-01T10:30:00.000Z', to: '2026-05-01T11:00:00.000Z' },
  ],
  [
    { from: '2026-05-01T11:00:00.000Z', to: 'now' },
    { from: '2026-05-01T10:00:00.000Z', to: '2026-05-01T11:00:00.000Z' },
  ],
])('finds the window before %o', (range, before) => expect(previousRange(range, now)).toEqual(before));

it('rejects a range that ends before it starts', () => {
  expect(resolveRange({ from: 'now', to: 'now-1h' }, now)).toBeNull();
  expect(resolveRange({ from: 'now-2h', to: 'now-1h' }, now)).toEqual({ from: now - 2 * hour, to: now - hour });
});

it('falls back to the last hour for an invalid link', () => {
  expect(rangeFromSearch({ from: 'then', to: 'now' })).toEqual(DEFAULT_RANGE);
  expect(rangeFromSearch({ from: 'now-6h' })).toEqual({ from: 'now-6h', to: 'now' });
});

it('describes ranges in words', () => {
  expect(describeRange({ from: 'now-15m', to: 'now' })).toBe('Last 15 minutes');
  expect(describeRange({ from: 'now-1h', to: 'now' })).toBe('Last hour');
  expect(describeRange({ from: 'now-2h', to: 'now-1h' })).toBe('now-2h – now-1h');
});

it('doubles the width on zoom out and stops at now', () => {
  const range = zoomOut({ from: now - hour, to: now }, now);
  expect(range).toEqual(absoluteRange(now - 2 * hour, now));
});

it('parses typed ranges', () => {
  expect(parseRangeText('5m', now)).toEqual({ from: 'now-5m', to: 'now' });
  expect(parseRangeText('last 2 hours', now)).toEqual({ from: 'now-2h', to: 'now' });
  expect(parseRangeText('3 days', now)).toEqual({ from: 'now-3d', to: 'now' });
  expect(parseRangeText('10 minutes', now)).toEqual({ from: 'now-10m', to: 'now' });
  expect(parseRangeText('2026-05-01T10:00:00Z to 2026-05-01T11:00:00Z', now)).toEqual({
    from: '2026-05-01T10:00:00.000Z',
    to: '2026-05-01T11:00:00.000Z',
  });
  expect(parseRangeText('2026-05-01T10:00:00Z', now)).toEqual({ from: '2026-05-01T10:00:00.000Z', to: 'now' });
  expect(parseRangeText('sometime', now)).toBeNull();
});
