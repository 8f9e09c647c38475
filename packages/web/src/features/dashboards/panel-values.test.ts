import { describe, expect, it } from 'vitest';
import { heatOf, levelOf, readingsOf, splitResult, treeOfStacks, valueFormat } from './panel-values.ts';

const column = (name: string, type: string) => ({ name, type });

describe('the values of panels', () => {
  it.each([
    [{}, 'duration', 1_500_000, '1.5 ms'],
    [{ unit: 's' }, 'float', 0.25, '250 ms'],
    [{ unit: 'By' }, 'float', 2_000, '2 kB'],
    [{ unit: '1' }, 'float', 0.5, '50%'],
    [{ unit: '%', decimals: 1 }, 'float', 12.34, '12.3%'],
    [{ unit: '{request}', decimals: 0 }, 'int', 12, '12 requests'],
    [{ decimals: 2 }, 'float', 1.005, '1.00'],
    [{}, 'ratio', 0.0143, '1.43%'],
  ])('with %j of the type %s are written by their unit', (panel, type, value, text) => {
    expect(valueFormat(panel, type)(value).replace('\u202f', ' ')).toBe(text);
  });

  it('reach the highest threshold that is not above them', () => {
    const thresholds = [
      { value: 10, color: 'error' as const },
      { value: 5, color: 'warning' as const },
    ];
    expect([4, 5, 10, 99].map((value) => levelOf(value, thresholds))).toEqual(['neutral', 'warning', 'error', 'error']);
  });

  it('are divided by the variants of a flag, the most rows first', () => {
    const rows = [
      ['off', 'b', 1],
      ['on', 'a', 2],
      ['on', 'b', 3],
    ];
    const columns = [column('variant', 'string'), column('band', 'string'), column('n', 'int')];
    const result = { panel: 'p', kind: 'table' as const, columns, rows, meta: { split: 'variant' } };
    const parts = splitResult(result)?.map(({ variant, result }) => [variant, result.columns.length, result.rows]);
    expect(parts).toEqual([
      [
        'on',
        2,
        [
          ['a', 2],
          ['b', 3],
        ],
      ],
      ['off', 2, [['b', 1]]],
    ]);
    expect(splitResult({ ...result, meta: {} })).toBeUndefined();
  });

  it('are read of rows, and of the last buckets of series', () => {
    const table = {
      columns: [column('service.name', 'string'), column('n', 'int')],
      rows: [
        ['cart', 3],
        ['ad', null],
      ],
    };
    expect(readingsOf(table, 1)).toMatchObject([
      { label: 'cart', value: 3 },
      { label: 'ad', value: null },
    ]);
    const series = {
      columns: [column('bucket', 'timestamp'), column('n', 'int')],
      rows: [
        ['2026-01-01T00:00:00Z', 1],
        ['2026-01-01T00:01:00Z', 2],
        ['2026-01-01T00:02:00Z', null],
      ],
    };
    expect(readingsOf(series, 1)).toEqual([{ label: 'n', type: 'int', value: 2, history: [1, 2, null] }]);
    const several = { columns: [column('p50', 'duration'), column('p99', 'duration')], rows: [[1, 2]] };
    expect(readingsOf(several, 0).map(({ label }) => label)).toEqual(['p50', 'p99']);
  });

  it('are the cells of a heat map, the largest band first', () => {
    const heat = heatOf({
      columns: [column('bucket', 'timestamp'), column('bucket_duration', 'duration'), column('n', 'int')],
      rows: [
        ['2026-01-01T00:00:00Z', 10, 1],
        ['2026-01-01T00:00:00Z', 20, 5],
        ['2026-01-01T00:01:00Z', 10, 2],
      ],
    });
    expect(heat).toMatchObject({ bands: ['20 ns', '10 ns'], most: 5 });
    expect([...(heat?.cells ?? [])]).toEqual([
      ['0 1', 1],
      ['0 0', 5],
      ['1 1', 2],
    ]);
    const minute = (at: number, n: number) => [`2026-01-01T00:0${at}:00Z`, 10, n];
    const columns = [column('bucket', 'timestamp'), column('band', 'int'), column('n', 'int')];
    expect(heatOf({ columns, rows: [minute(0, 1), minute(1, 1), minute(4, 1)] })?.times).toHaveLength(5);
    expect(heatOf({ columns: [column('n', 'int')], rows: [[1]] })).toBeUndefined();
  });

  it('are folded from stacks into a tree', () => {
    expect(
      treeOfStacks([
        [['main', 'a'], 3],
        [['main', 'b'], 1],
        [['main'], 2],
      ]),
    ).toEqual([
      { parent: null, name: 'main', file: '', self: 2, total: 6 },
      { parent: 0, name: 'a', file: '', self: 3, total: 3 },
      { parent: 0, name: 'b', file: '', self: 1, total: 1 },
    ]);
  });
});
