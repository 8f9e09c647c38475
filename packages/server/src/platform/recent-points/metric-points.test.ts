import { RowWriter, type StoredPoint } from '@fanion/telemetry';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MetricPoints } from './metric-points.ts';
import type { SeriesRow } from './points-store.ts';

type Point = [time: number, start: number, value: number];
const origin = 1_790_000_000_000;

function pointOf([time, start, value]: Point, of: Partial<StoredPoint> = {}): StoredPoint {
  return {
    series: 7n,
    time: origin + time,
    nanos: 0,
    start: origin + start,
    startNanos: 0,
    value,
    isRounded: false,
    ...of,
  };
}

function filled(points: readonly Point[]): MetricPoints {
  const metric = new MetricPoints(origin);
  for (const point of points) expect(metric.add(pointOf(point))).toBe(true);
  return metric;
}

function listed(metric: MetricPoints): Point[] {
  return [...metric.series].flatMap(({ times, starts, values, count }) =>
    Array.from({ length: count }, (_, i) => [times[i], starts[i], values[i]] as Point),
  );
}

/** The first of each time in the order of the engine: the largest value, then the latest start. */
function expected(points: readonly Point[]): Point[] {
  const ordered = [...points].sort((a, b) => a[0] - b[0] || b[2] - a[2] || b[1] - a[1]);
  return ordered.filter(([time], i) => time !== ordered[i - 1]?.[0]);
}

function rowOf(row: Partial<{ id: string; isOfNumbers: 0 | 1; environment: string }>): Buffer {
  const { id = '7', isOfNumbers = 1, environment = 'production' } = row;
  const series: SeriesRow = [
    id,
    isOfNumbers,
    3,
    environment,
    'shop',
    [
      ['a', 'a'],
      ['1', '2'],
    ],
    '',
    [[], []],
    '',
  ];
  const out = new RowWriter();
  out.text(JSON.stringify(series));
  return Buffer.from(out.bytes.subarray(0, out.length));
}

const point = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 }));

describe('the points of a series', () => {
  it('are in the order of time, the winner of each time alone, however they come', () => {
    fc.assert(
      fc.property(fc.array(point, { maxLength: 120 }), (points) => {
        expect(listed(filled(points))).toEqual(expected(points));
      }),
    );
  });

  it('are dropped before a time, and left out from then on', () => {
    fc.assert(
      fc.property(fc.array(point, { maxLength: 60 }), fc.integer({ min: 0, max: 45 }), (points, from) => {
        const metric = filled(points);
        metric.trim(origin + from);
        for (const one of points) metric.add(pointOf(one));
        expect(listed(metric)).toEqual(expected(points).filter(([time]) => time >= from));
      }),
    );
  });

  it('take no more room than an eighth beyond what they need after they were trimmed', () => {
    const metric = filled(Array.from({ length: 1000 }, (_, i) => [i, 1, i]));
    const room = metric.bytes;
    metric.trim(origin + 500);
    expect(room - metric.bytes).toBeGreaterThan(24 * 400);
    expect(metric.bytes).toBeLessThan(24 * 563 + 1000);
  });

  it('keep nanoseconds apart', () => {
    const metric = filled([]);
    for (const nanos of [1, 0, 2]) metric.add(pointOf([5, 1, nanos], { nanos }));
    expect(listed(metric).map(([, , value]) => value)).toEqual([0, 1, 2]);
  });
});

describe('a metric', () => {
  it.each<[string, Partial<StoredPoint>]>([
    ['a rounded integer', { isRounded: true }],
    ['a value that is no number', { value: Number.NaN }],
    ['an infinite value', { value: Number.NEGATIVE_INFINITY }],
    ['a value whose sums might overflow', { value: 1e300 }],
    ['a time far from the others', { time: origin + 11 * 86_400_000 }],
  ])('cannot have %s', (_, of) => {
    expect(new MetricPoints(origin).add(pointOf([0, 1, 1], of))).toBe(false);
  });

  it('is described when the rows of all series have come, before or after their points', () => {
    const metric = filled([[0, 1, 1]]);
    expect(metric.isDescribed).toBe(false);
    expect(metric.describe(Buffer.concat([rowOf({ id: '8', environment: '' }), rowOf({})]))).toBe(true);
    expect(metric.isDescribed).toBe(true);
    const [first, second] = [...metric.series].map(({ labels }) => labels);
    // The engine finds the first one of equal keys.
    expect(first?.attributes.texts).toEqual(new Map([['a', '1']]));
    expect([first, second].map((labels) => labels?.own.texts.get('environment'))).toEqual(['production', undefined]);
    metric.add(pointOf([1, 1, 1], { series: 9n }));
    expect(metric.isDescribed).toBe(false);
  });

  it('has only gauges and cumulative sums', () => {
    expect(new MetricPoints(origin).describe(rowOf({ isOfNumbers: 0 }))).toBe(false);
  });
});
