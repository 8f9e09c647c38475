import { describe, expect, it } from 'vitest';
import { parametersOf } from '../../read/request.ts';
import { durationOf, searchOf, searchOfV3, timeOf, traceIdOf, wholeOf } from './parameter-rules.ts';

const now = 1_795_426_200_000_000_000n;
const hour = 3_600_000_000_000n;

describe('parameters of Jaeger', () => {
  it.each([
    ['1.2ms', 1_200_000n],
    ['1h30m', 5_400_000_000_000n],
    ['5us', 5_000n],
    ['5µs', 5_000n],
    ['0', 0n],
  ])('reads the duration %s', (text, ns) => {
    expect(durationOf('minDuration', text)).toBe(ns);
  });

  it.each(['', '5', '-1s', '1d', '1 s', 'ms', `${'9'.repeat(30)}h`])('refuses the duration "%s"', (text) => {
    expect(() => durationOf('minDuration', text)).toThrow('invalid duration');
  });

  it('reads whole numbers of 64 bits', () => {
    expect(wholeOf('start', '9223372036854775807')).toBe(2n ** 63n - 1n);
    for (const text of ['9223372036854775808', '1.5', '1e3', ''])
      expect(() => wholeOf('start', text)).toThrow('not a whole number');
  });

  it('reads times to the nanosecond, and their zones', () => {
    expect(timeOf('t', '2026-11-23T10:30:00.000000001Z')).toBe(
      BigInt(Date.UTC(2026, 10, 23, 10, 30)) * 1_000_000n + 1n,
    );
    expect(timeOf('t', '2026-11-23T11:30:00+01:00')).toBe(timeOf('t', '2026-11-23T10:30:00Z'));
    expect(() => timeOf('t', '1795426200')).toThrow('RFC 3339');
  });

  it('completes ids, and rejects what is not an id', () => {
    expect(traceIdOf('ABC')).toBe('0'.repeat(29).concat('abc'));
    for (const text of ['', 'x', '1'.repeat(33)]) expect(() => traceIdOf(text)).toThrow('not a trace ID');
  });

  it('looks back two days, or as far as a search says', () => {
    const windowOf = (query: Record<string, string>) => searchOf(parametersOf(query), now, 100).window;
    expect(windowOf({})).toEqual({ fromNs: now - 48n * hour, toNs: now });
    expect(windowOf({ lookback: '2d' })).toEqual({ fromNs: now - 48n * hour, toNs: now });
    expect(windowOf({ lookback: '90m', end: String(now / 1000n) }).fromNs).toBe(now - (3n * hour) / 2n);
    expect(windowOf({ start: '-5', end: '9223372036854775807' })).toEqual({
      fromNs: 0n,
      toNs: 4_294_967_295_000_000_000n,
    });
  });

  it('joins tags of both forms; the value of one may have colons', () => {
    const query = { tag: ['url:http://a', 'x:1'], tags: '{"x":"2"}' };
    expect(searchOf(parametersOf(query), now, 100).tags).toEqual([
      ['url', 'http://a'],
      ['x', '2'],
    ]);
  });

  it('reads both spellings of version 3', () => {
    const times = { 'query.startTimeMin': '2026-11-23T10:00:00Z', 'query.start_time_max': '2026-11-23T11:00:00Z' };
    const query = { ...times, 'query.serviceName': 'shop', 'query.num_traces': '7', 'query.duration_min': '1s' };
    expect(searchOfV3(parametersOf(query), 100)).toMatchObject({
      service: 'shop',
      limit: 7,
      minDurationNs: 1_000_000_000n,
    });
    expect(() => searchOfV3(parametersOf({}), 100)).toThrow('query.start_time_min is required');
  });
});
