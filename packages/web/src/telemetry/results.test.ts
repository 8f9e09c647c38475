import { describe, expect, it } from 'vitest';
import { bucketWidth, completeBuckets } from './bucket-width.ts';
import { whereStage } from './oql.ts';
import { asRecords, formatCell, resultCharts } from './results.ts';

const columns = [
  { name: 'service.name', type: 'string' },
  { name: 'bucket', type: 'timestamp' },
  { name: 'n', type: 'int' },
  { name: 'p99', type: 'duration' },
];
const rows = [
  ['cart', '2026-01-01T00:00:00Z', 3, '1000000'],
  ['cart', '2026-01-01T00:02:00Z', 5, '2000000'],
  ['checkout', '2026-01-01T00:01:00Z', 1, null],
];

describe('resultCharts', () => {
  it('creates a chart per measure and a series per key', () => {
    const charts = resultCharts({ columns, rows, kind: 'timeseries' }, 'light');
    expect(charts.map((chart) => chart.measure)).toEqual(['n', 'p99']);
    expect(charts[0]?.series.map((series) => series.label)).toEqual(['cart', 'checkout']);
    expect(charts[0]?.times).toHaveLength(3);
    expect(charts[0]?.series[0]?.values).toEqual([3, null, 5]);
    expect(charts[1]?.series[1]?.values).toEqual([null, null, null]);
  });

  it('names a series by its measure without a key, and accepts numeric keys when given the key count', () => {
    const plain = resultCharts(
      { columns: columns.slice(1, 3), rows: rows.map((row) => row.slice(1, 3)), kind: 'timeseries' },
      'dark',
    );
    expect(plain[0]?.series.map((series) => series.label)).toEqual(['n']);
    const numericKey = [
      { name: 'bucket', type: 'timestamp' },
      { name: 'http.response.status_code', type: 'int' },
      { name: 'n', type: 'int' },
    ];
    const told = resultCharts(
      { columns: numericKey, rows: [['2026-01-01T00:00:00Z', 200, 7]], kind: 'timeseries' },
      'dark',
      2,
    );
    expect(told).toHaveLength(1);
    expect(told[0]?.series[0]?.label).toBe('200');
  });

  it('omits an incomplete last bucket on request', () => {
    const to = Date.parse('2026-01-01T00:02:30Z');
    const complete = resultCharts({ columns, rows, kind: 'timeseries' }, 'light', 2, { width: 60_000, to });
    expect(complete[0]?.times).toHaveLength(2);
    expect(complete[0]?.series[0]?.values).toEqual([3, null]);
  });

  it('returns no charts without a time column', () => {
    expect(resultCharts({ columns: [{ name: 'n', type: 'int' }], rows: [[1]], kind: 'scalar' }, 'dark')).toEqual([]);
  });
});

it('formats cells by their type', () => {
  expect(formatCell('340000000', 'duration')).toBe('340 ms');
  expect(formatCell('12345', 'int')).toBe('12.3k');
  expect(formatCell(1500, 'bytes')).toBe('1.5 kB');
  expect(formatCell({ a: 1 }, 'map')).toBe('{"a":1}');
  expect(formatCell(null, 'string')).toBe('–');
  expect(formatCell('12', 'string')).toBe('12');
});

it('names the cells of a row', () => {
  expect(asRecords({ columns, rows: rows.slice(0, 1), kind: 'table' })).toEqual([
    { 'service.name': 'cart', bucket: '2026-01-01T00:00:00Z', n: 3, p99: '1000000' },
  ]);
});

it('cuts windows into about sixty round buckets', () => {
  expect(bucketWidth(3_600_000)).toEqual({ text: '1m', milliseconds: 60_000 });
  expect(bucketWidth(86_400_000).text).toBe('30m');
  expect(bucketWidth(300_000).text).toBe('5s');
  expect(bucketWidth(365 * 86_400_000).text).toBe('6d');
});

it('counts the buckets that are complete at the end of the window', () => {
  expect(completeBuckets([0, 60, 120], 60, 150)).toBe(2);
  expect(completeBuckets([0, 60, 120], 60, 180)).toBe(3);
  expect(completeBuckets([], 60, 180)).toBe(0);
  expect(completeBuckets([100], 60, 50)).toBe(0);
});

it('joins conditions', () => {
  expect(whereStage(['a == 1', false, '', 'b == 2'])).toBe(' | where a == 1 and b == 2');
  expect(whereStage([undefined])).toBe('');
});
