import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeriesPoints, wins } from './series-points.ts';

type Point = [time: number, start: number, value: number];

function listed({ times, starts, values, count }: SeriesPoints): Point[] {
  return Array.from({ length: count }, (_, i) => [times[i], starts[i], values[i]] as Point);
}

function filled(points: readonly Point[]): SeriesPoints {
  const series = new SeriesPoints();
  for (const point of points) series.add(...point);
  return series;
}

/** The first of each time in the order of the engine: the largest value, then the latest start. */
function expected(points: readonly Point[]): Point[] {
  const ordered = [...points].sort((a, b) => a[0] - b[0] || b[2] - a[2] || b[1] - a[1]);
  return ordered.filter(([time], i) => time !== ordered[i - 1]?.[0]);
}

const point = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }));

describe('the points of a series', () => {
  it('are in the order of time, the winner of each time alone, however they come', () => {
    fc.assert(
      fc.property(fc.array(fc.array(point, { maxLength: 60 })), (batches) => {
        const series = new SeriesPoints();
        for (const batch of batches) {
          for (const one of batch) series.add(...one);
          series.settle();
        }
        expect(listed(series)).toEqual(expected(batches.flat()));
      }),
    );
  });

  it('are dropped before a time, also where they came late', () => {
    fc.assert(
      fc.property(fc.array(point, { maxLength: 60 }), fc.integer({ min: 0, max: 45 }), (points, from) => {
        const series = filled(points);
        series.trim(from);
        expect(listed(series)).toEqual(expected(points).filter(([time]) => time >= from));
        series.add(50, 0, 1);
        expect(listed(series).at(-1)).toEqual([50, 0, 1]);
      }),
    );
  });

  it('take no more room than an eighth beyond what they need after they fit', () => {
    const series = filled(Array.from({ length: 1000 }, (_, i) => [i, 0, i]));
    series.fit();
    expect(series.bytes).toBe(24 * 1125);
    expect(series.count).toBe(1000);
  });
});

it('prefers a number to NaN, then the larger value, then the later start', () => {
  expect(wins(1, 0, Number.NaN, 5)).toBe(true);
  expect(wins(Number.NaN, 5, 1, 0)).toBe(false);
  expect(wins(Number.NaN, 5, Number.NaN, 4)).toBe(true);
  expect(wins(2, 0, 1, 5)).toBe(true);
  expect(wins(1, 6, 1, 5)).toBe(true);
  expect(wins(1, 5, 1, 5)).toBe(false);
});
