import { describe, expect, it } from 'vitest';
import { histogramOf } from './histogram.ts';

const ms = 1_000_000;
const columns = [
  { name: 'bucket', type: 'duration' },
  { name: 'service.name', type: 'string' },
  { name: 'count', type: 'int' },
];

describe('histogramOf', () => {
  it('reads the bounds and counts of each group, in the order of the bounds', () => {
    const rows = [
      [50 * ms, 'cart', 3],
      [0, 'cart', 9],
      ['100000000', 'payments', '2'],
      [null, 'cart', 1],
    ];
    expect(histogramOf('spans | histogram(duration, 50ms) by service.name | sort -count', { columns, rows })).toEqual({
      field: 'duration',
      type: 'duration',
      width: 50 * ms,
      series: [
        {
          label: 'cart',
          bars: [
            { from: 0, count: 9 },
            { from: 50 * ms, count: 3 },
          ],
        },
        { label: 'payments', bars: [{ from: 100 * ms, count: 2 }] },
      ],
    });
  });

  it('reads the width of a bucket of numbers and bytes', () => {
    const of = (query: string, type: string) =>
      histogramOf(query, {
        columns: [
          { name: 'bucket', type },
          { name: 'count', type: 'int' },
        ],
        rows: [[1, 1]],
      })?.width;
    expect(of('logs | histogram(attempt, 0.5)', 'float')).toBe(0.5);
    expect(of('spans | histogram(size, 2KiB)', 'bytes')).toBe(2048);
  });

  it.each([
    'spans | stats count=count() by bucket=service.name',
    'spans | histogram(duration, 50ms) | stats m=max(count)',
    'spans | histogram(duration)',
    'spans | count by bucket(1m)',
  ])('ignores a query that does not end with a histogram: %s', (query) => {
    expect(histogramOf(query, { columns, rows: [[0, 'cart', 1]] })).toBeUndefined();
  });
});
