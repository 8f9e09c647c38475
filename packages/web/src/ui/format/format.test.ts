import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countOf,
  formatAgo,
  formatBytes,
  formatDuration,
  formatExact,
  formatNumber,
  formatPercent,
  formatRate,
  formatTimestamp,
  formatUtc,
  rateFormat,
} from './index.ts';

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [7, '7'],
    [999, '999'],
    [1234, '1,234'],
    [9999, '9,999'],
    [10_000, '10k'],
    [12_345, '12.3k'],
    [999_999, '1M'],
    [34_512_000, '34.5M'],
    [1.234, '1.23'],
    [12.5, '12.5'],
    [999.7, '1k'],
    [0.042, '0.042'],
    [0.00004, '4e−5'],
    [-1500.5, '−1.5k'],
    [Number.NaN, '–'],
    [Number.POSITIVE_INFINITY, '∞'],
    [null, '–'],
  ])('%s reads %s', (value, text) => expect(formatNumber(value)).toBe(text));

  it('never prints more than nine characters', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e20, max: 1e20 }), (value) => formatNumber(value).length <= 9),
    );
  });
});

it('formatExact groups digits and leaves other text alone', () => {
  expect(formatExact(1234567)).toBe('1,234,567');
  expect(formatExact('-98765432109876543210')).toBe('−98,765,432,109,876,543,210');
  expect(formatExact('n/a')).toBe('n/a');
});

it('formatRate falls back to minutes and hours for rare events', () => {
  expect(formatRate(1234.5)).toBe('1.23k/s');
  expect(formatRate(0.918)).toBe('55.1/min');
  expect(formatRate(1 / 3600)).toBe('1/h');
  expect(formatRate(0.05)).toBe('3/min');
  expect(formatRate(0)).toBe('0/s');
});

it('rateFormat writes rates beside each other in one unit', () => {
  const beside = rateFormat([1.23, 0.142, null]);
  expect([1.23, 0.142, 0.004, 0, null].map(beside)).toEqual(['1.23/s', '0.14/s', '0.004/s', '0/s', '–']);
  expect([0.05, 0.3].map(rateFormat([0.05, 0.3]))).toEqual(['3/min', '18/min']);
  expect([Number.NaN].map(rateFormat([]))).toEqual(['–']);
});

describe('formatPercent', () => {
  it.each([
    [0, '0%'],
    [1, '100%'],
    [0.5, '50%'],
    [0.1234, '12.3%'],
    [0.01234, '1.23%'],
    [0.9995, '99.95%'],
    [0.99999, '99.999%'],
    [0.9999999, '>99.99%'],
    [0.995, '99.5%'],
    [0.00001, '<0.01%'],
    [1.5, '150%'],
  ])('%s reads %s', (ratio, text) => expect(formatPercent(ratio)).toBe(text));

  it('writes 100% only for 1, and 0% only for 0', () => {
    fc.assert(
      fc.property(fc.double({ min: Number.MIN_VALUE, max: 1 - Number.EPSILON, noNaN: true }), (ratio) => {
        expect(formatPercent(ratio)).not.toBe('100%');
        expect(formatPercent(ratio)).not.toBe('0%');
      }),
    );
  });
});

it.each([
  [0, '0 ms'],
  [950, '950 ns'],
  [1500, '1.5 µs'],
  [340_000_000, '340 ms'],
  [999_700_000, '1 s'],
  [1_250_000_000, '1.25 s'],
  [59_990_000_000, '1m'],
  [125_000_000_000, '2m 5s'],
  ['12000000000000', '3h 20m'],
  [187_200_000_000_000n, '2d 4h'],
  [-5_000_000, '−5 ms'],
  [null, '–'],
])('formatDuration: %s ns reads %s', (value, text) => expect(formatDuration(value)).toBe(text));

it.each([
  [0, '0 B'],
  [512, '512 B'],
  [1500, '1.5 kB'],
  [999_900, '1 MB'],
  ['34000000', '34 MB'],
])('formatBytes: %s reads %s', (value, text) => expect(formatBytes(value)).toBe(text));

it('times: UTC with milliseconds, ClickHouse and nanosecond forms alike', () => {
  expect(formatUtc('2026-03-04T05:06:07.123456789Z')).toBe('2026-03-04 05:06:07.123 UTC');
  expect(formatUtc('2026-03-04 05:06:07.5')).toBe('2026-03-04 05:06:07.500 UTC');
  expect(formatTimestamp('2026-03-04T05:06:07+01:00', { utc: true, date: false })).toBe('04:06:07');
  expect(formatTimestamp('nonsense')).toBe('–');
});

it('formatAgo uses one unit', () => {
  const now = Date.UTC(2026, 0, 2, 12);
  expect(formatAgo(now - 1000, now)).toBe('now');
  expect(formatAgo(now - 42_000, now)).toBe('42s ago');
  expect(formatAgo(now - 3 * 3_600_000, now)).toBe('3h ago');
  expect(formatAgo(now + 300_000, now)).toBe('in 5m');
});

it('countOf picks the form of the noun', () => {
  expect(countOf(1, 'span')).toBe('1 span');
  expect(countOf(12_345, 'entry', 'entries')).toBe('12.3k entries');
});
