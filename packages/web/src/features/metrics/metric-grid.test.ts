import { validate } from '@fanion/oql';
import { describe, expect, it } from 'vitest';
import {
  byScore,
  gridQueries,
  hasPrefix,
  type ListedMetric,
  listedMetrics,
  listQuery,
  prefixTree,
  unusualness,
} from './metric-grid.ts';

const metric = (name: string, kind = 'gauge', monotonic = false): ListedMetric => ({
  name,
  kind,
  unit: '1',
  monotonic,
});

describe('prefixTree', () => {
  it('splits names at dots, and joins levels without a choice', () => {
    const names = [
      'http.server.request.count',
      'http.server.request.duration',
      'http.server.active',
      'orders',
      'process.cpu',
    ];
    expect(prefixTree(names)).toEqual([
      {
        path: 'http.server',
        text: 'http.server',
        count: 3,
        below: [{ path: 'http.server.request', text: 'request', count: 2, below: [] }],
      },
    ]);
  });

  it('distinguishes a prefix from a name that only begins like it', () => {
    expect(hasPrefix('http.server', 'http')).toBe(true);
    expect(hasPrefix('https.server', 'http')).toBe(false);
    expect(hasPrefix('http', 'http')).toBe(true);
  });
});

it('lists a metric once, as growing if one of its kinds grows', () => {
  const rows = [
    ['orders', 'sum', '1', false],
    ['orders', 'sum', '1', true],
    ['queue', 'gauge', null, false],
  ];
  expect(listedMetrics({ rows })).toEqual([
    { name: 'orders', kind: 'sum', unit: '1', monotonic: true },
    { name: 'queue', kind: 'gauge', unit: '', monotonic: false },
  ]);
});

describe('unusualness', () => {
  const steady = [10, 11, 9, 10, 12, 10, 9, 11, 10, 10];

  it.each([
    ['a steady series', [...steady, 10, 11, 10], 0, 1.5],
    ['one peak at the end', [...steady, 10, 10, 500], 0, 1],
    ['a series that jumps', [...steady, 50, 52, 51], 20, 100],
    ['one peak before', [10, 11, 900, 9, 10, 11, 10, 50, 51, 52], 20, 100],
    ['a constant that changes', [5, 5, 5, 5, 5, 5, 5, 6, 6, 6], 100, 100],
    ['a constant', [5, 5, 5, 5, 5, 5, 5, 5, 5, 5], 0, 0],
    ['too few values', [1, 1, 9, null, null, 9], 0, 0],
    ['a mostly constant series with few changes', [0, 0, 0, 0, 0, 0, 4, 0, 8, 8, 8], 3.5, 100],
  ])('%s', (_, values, least, most) => {
    expect(unusualness(values)).toBeGreaterThanOrEqual(least);
    expect(unusualness(values)).toBeLessThanOrEqual(most);
  });

  it('does not depend on the unit', () => {
    const values = [...steady, 15, 16, 15];
    expect(unusualness(values.map((value) => value * 1e6))).toBeCloseTo(unusualness(values));
  });
});

it('lists the most unusual first', () => {
  const chart = (name: string, score: number) => ({ metric: metric(name), times: [], values: [], score });
  expect(byScore([chart('b', 0), chart('a', 0), chart('z', 7)]).map(({ metric: { name } }) => name)).toEqual([
    'z',
    'a',
    'b',
  ]);
});

it('writes valid queries, one for each kind of value', () => {
  const queries = gridQueries(
    [metric('a.b'), metric('c+d', 'sum'), metric('n', 'sum', true), metric('h', 'histogram'), metric('s', 'summary')],
    3_600_000,
  );
  expect(queries).toEqual([
    'metric =~ "^(a\\\\.b|c\\\\+d)$" | avg by metric.name, bucket(2m)',
    'metric =~ "^(n)$" | rate | sum by metric.name, bucket(2m)',
    'metric =~ "^(h)$" | increase | p95 by metric.name, bucket(2m)',
  ]);
  for (const query of [...queries, listQuery])
    expect(validate(query).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});

it('asks for many metrics in several queries', () => {
  const many = Array.from({ length: 130 }, (_, index) => metric(`m${index}`));
  expect(gridQueries(many, 3_600_000)).toHaveLength(3);
});
