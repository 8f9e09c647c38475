import { describe, expect, it } from 'vitest';
import { formatNs, parseTime, parseWindow } from './time-window.ts';

const now = Date.parse('2026-11-20T10:00:00.000Z');
const iso = (ns: bigint) => formatNs(ns);

describe('a point in time', () => {
  it.each([
    ['now', '2026-11-20T10:00:00.000000000Z'],
    ['now-1h', '2026-11-20T09:00:00.000000000Z'],
    ['now+5m', '2026-11-20T10:05:00.000000000Z'],
    ['now-2w', '2026-11-06T10:00:00.000000000Z'],
    ['now-5184000s', '2026-09-21T10:00:00.000000000Z'],
    ['2026-11-20T09:30:00Z', '2026-11-20T09:30:00.000000000Z'],
    ['2026-11-20T09:30:00.123456789Z', '2026-11-20T09:30:00.123456789Z'],
    ['2026-11-20T09:30:00', '2026-11-20T09:30:00.000000000Z'],
    ['2026-11-20T10:30:00.5+01:00', '2026-11-20T09:30:00.500000000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000000000Z'],
    [String(now), '2026-11-20T10:00:00.000000000Z'],
    [now, '2026-11-20T10:00:00.000000000Z'],
  ])('%s', (input, expected) => {
    expect(iso(parseTime(input, 'from', now))).toBe(expected);
  });

  it.each(['', 'yesterday', 'now-1y', 'now - 1h', '2026-13-45T00:00:00Z', '-5', '1e9', '99999999999999999999'])(
    'refuses %j',
    (input) => {
      expect(() => parseTime(input, 'from', now)).toThrow(/invalid time window: from/);
    },
  );

  it('rejects times that the store cannot represent', () => {
    expect(() => parseTime(-1, 'from', now)).toThrow(/before 1970/);
    expect(() => parseTime('now-999999999w', 'from', now)).toThrow(/before 1970/);
    expect(() => parseTime('2300-01-01', 'to', now)).toThrow(/after 2262/);
  });
});

describe('a window', () => {
  it('is the last hour by default', () => {
    const { fromNs, toNs } = parseWindow({}, now);
    expect([iso(fromNs), iso(toNs)]).toEqual(['2026-11-20T09:00:00.000000000Z', '2026-11-20T10:00:00.000000000Z']);
  });
  it('is the hour before `to` if only that is given', () => {
    expect(iso(parseWindow({ to: 'now-1d' }, now).fromNs)).toBe('2026-11-19T09:00:00.000000000Z');
  });
  it('cannot end before it starts', () => {
    expect(() => parseWindow({ from: 'now', to: 'now-1h' }, now)).toThrow(/from must be before to/);
  });
});
