import { describe, expect, it } from 'vitest';
import { countFirings, heldWindows, pastSeries, suggestThreshold } from './suggestion-rules.ts';

const steady = Array.from({ length: 200 }, (_, index) => 100 + (index % 7));
/** A value for each place of `steady`. */
const withPeaks = (peaks: Readonly<Record<number, number>>) => steady.map((value, at) => peaks[at] ?? value);
const above = { op: '>', heldWindows: 1 } as const;

describe('suggestThreshold', () => {
  it.each([
    ['a steady series', [steady], above, { of: 'p95', value: 106, threshold: 110, firings: 0 }],
    [
      'two peaks, which it would have caught',
      [withPeaks({ 20: 500, 120: 800 })],
      above,
      { of: 'p95', value: 106, threshold: 110, firings: 2 },
    ],
    [
      'many peaks, which nobody would have acted upon',
      [withPeaks({ 20: 500, 40: 510, 60: 520, 80: 530, 100: 800 })],
      above,
      { of: 'p99', value: 520, threshold: 520, firings: 2 },
    ],
    [
      'a plateau, which is usual then',
      [steady.map((value, at) => (at > 50 && at < 150 ? 900 : value))],
      above,
      { of: 'p95', value: 900, threshold: 900, firings: 0 },
    ],
    [
      'drops',
      [withPeaks({ 20: 5 })],
      { op: '<', heldWindows: 1, never: 0 },
      { of: 'p5', value: 100, threshold: 100, firings: 1 },
    ],
    [
      'a share that was zero',
      [steady.map(() => 0)],
      { ...above, least: 0.01, never: 1 },
      { of: 'p95', value: 0, threshold: 0.01, firings: 0 },
    ],
    ['a share that was always one', [steady.map(() => 1)], { ...above, least: 0.01, never: 1 }, null],
    ['a rate that often was zero', [steady.map((_, at) => at % 2)], { op: '<', heldWindows: 1, never: 0 }, null],
    ['too few values', [steady.slice(0, 19)], above, null],
    ['a condition without an order', [steady], { op: '==', heldWindows: 1 }, null],
  ] as const)('%s', (_, series, asked, expected) => {
    expect(suggestThreshold(series, asked)).toEqual(expected);
  });

  it('does not depend on the unit', () => {
    const nanoseconds = [withPeaks({ 20: 500 }).map((value) => value * 1e6)];
    expect(suggestThreshold(nanoseconds, above)).toMatchObject({ threshold: 110e6, firings: 1 });
  });
});

describe('countFirings', () => {
  it.each([
    [[[1, 5, 5, 1, 5]], 1, 2],
    [[[1, 5, 5, 1, 5]], 2, 1],
    [[[5, null, 5]], 2, 0],
    [
      [
        [5, 1],
        [1, 5],
      ],
      1,
      2,
    ],
    [[], 1, 0],
  ])('of %j that hold %d windows is %d', (series, held, count) => {
    expect(countFirings(series, { op: '>', threshold: 2, heldWindows: held })).toBe(count);
  });

  it('needs a window more for each window of `for`', () => {
    expect([0, 60_000, 300_000, 301_000].map((forMs) => heldWindows(forMs, 300_000))).toEqual([1, 2, 2, 3]);
  });
});

it('pastSeries leaves gaps and cut windows empty', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 0, minute)).toISOString();
  const result = {
    kind: 'timeseries' as const,
    columns: [
      { name: 'bucket', type: 'timestamp' },
      { name: 'service.name', type: 'string' },
      { name: 'value', type: 'float' },
    ],
    rows: [
      [at(0), 'a', 9],
      [at(5), 'a', 1],
      [at(15), 'a', 3],
      [at(10), 'b', 4],
      [at(10), 'a', null],
      [at(20), 'a', 7],
    ],
  };
  expect(pastSeries(result, 300_000, [Date.parse(at(0)), Date.parse(at(20))])).toEqual({
    series: [[1, null, 3], [4]],
    since: Date.parse(at(5)),
  });
});
