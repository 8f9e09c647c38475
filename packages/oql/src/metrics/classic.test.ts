import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { NOW, SCOPE, WINDOW } from '../testing/fixture.ts';
import { buckets, loaded } from '../testing/prometheus/notation.ts';
import { seriesTables } from '../testing/series-tables.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(
    seriesTables([
      ...buckets('rpc', { route: '/a' }, { '0.1': '0+5x11', '1': '0+8x11', '+Inf': '0+10x11' }),
      ...buckets('rpc', { route: '/b' }, { '0.1': '0+1x11', '1': '0+8x11', '+Inf': '0+10x11' }),
      loaded('sum', 'rpc_sum', { route: '/a' }, '0+3x11'),
      loaded('sum', 'rpc_sum', { route: '/b' }, '0+7x11'),
      // A sum with other labels, for which there are no buckets.
      loaded('sum', 'rpc_sum', { route: '/c' }, '0+100x11'),
      // The counter of one bucket loses its count and restarts.
      ...buckets('lossy', {}, { '1': '0+1x5 0+1x5', '2': '0+2x11', '+Inf': '0+2x11' }),
      loaded('gauge', 'objects_in_bucket', { name: 'x' }, '4 5 6 7'),
    ]),
  );
});
afterAll(() => engine.stop());

describe('reads bucket counters as histograms', () => {
  test.each([
    [
      'metric rpc_bucket | increase | stats n=sum(count), s=sum(sum), v=sum(value), a=avg(value)',
      [[220, 110, 110, 0.5]],
    ],
    ['metric rpc_bucket | increase | stats n=count()', [[2]]],
    [
      'metric rpc_bucket | increase | stats v=ratio(value <= 0.1) by route',
      [
        ['/a', 0.5],
        ['/b', 0.1],
      ],
    ],
    [
      'metric rpc_bucket | increase | stats v=count(value > 0.1) by route',
      [
        ['/a', 55],
        ['/b', 99],
      ],
    ],
    ['metric rpc_bucket | increase | stats v=histogram_fraction(value, 0.1, 1)', [[0.5]]],
    [
      'metric rpc_bucket | where route == "/a" | increase | stats p=quantile(value, 0.25), h=max(value), l=min(value)',
      [[0.05, 1, 0]],
    ],
    ['metric rpc_bucket | where route == "/a" | stats p=quantile(value, 0.25), n=sum(count)', [[0.05, 110]]],
    [
      'metric rpc_bucket | where route == "/a" | rate 5m | stats n=sum(count) by bucket(30m) | stats n=max(n)',
      [[10 / 300]],
    ],
    ['metric rpc_bucket | where route == "/a" | delta | stats p=quantile(value, 0.25)', [[0.05]]],
    ['metric lossy_bucket | increase | stats p=quantile(value, 0.5)', [[13 / 12]]],
    // A query about one bucket reads its counter.
    [
      'metric rpc_bucket | where le == "0.1" | increase | sum by route',
      [
        ['/a', 55],
        ['/b', 11],
      ],
    ],
    ['metric rpc_bucket | where route == "/a" | increase | sum by le | sort sum | fields sum', [[55], [88], [110]]],
    ['metric rpc_bucket | where attr.le == "+Inf" | stats n=count()', [[24]]],
    [
      'metric =~ "^objects|_sum$" | stats n=count() by metric.name',
      [
        ['objects_in_bucket', 4],
        ['rpc_sum', 36],
      ],
    ],
    ['metric =~ "nothing" | stats n=count()', [[0]]],
    ['metric rpc_bucket | where route == "/a" | offset 30m | increase | stats n=sum(count)', [[50]]],
    ['metric objects_in_bucket | offset 5m | sort time | limit 1 | fields time, value', [['2026-11-19T14:05:00Z', 4]]],
    // A metric whose name ends in `_bucket` but has no bounds is a number.
    ['metric objects_in_bucket | stats a=avg(value), n=count(), p=p50(value)', [[5.5, 4, 5.5]]],
    ['metric objects_in_bucket | where value > 5 | stats n=count()', [[2]]],
  ] as const)('%s', async (query, expected) => {
    const { rows } = await engine.ask(query);
    const rounded = rows.map((row) => row.map((v) => (typeof v === 'number' ? Number(v.toPrecision(12)) : v)));
    expect(rounded).toEqual(
      expected.map((row) => row.map((v) => (typeof v === 'number' ? Number(v.toPrecision(12)) : v))),
    );
  });
});

describe('rejects an unanswerable query about buckets and shows one that works', () => {
  const catalogue = { fields: [], metrics: [{ name: 'rpc_bucket', kind: 'sum', classic: true }] } as const;
  const options = { scope: SCOPE, window: WINDOW, limit: 10, nowNs: NOW, catalogue };
  const errors = (query: string) => {
    const compiled = compile(query, options);
    return compiled.ok
      ? []
      : compiled.diagnostics
          .filter(({ severity }) => severity === 'error')
          .map(({ code, message }) => `${code} ${message}`);
  };

  test.each([
    'metric rpc_bucket | where le != "+Inf" | promrate 3m | p90',
    'metric rpc_bucket | promrate 3m | sum by le | stats p=quantile(sum, 0.9)',
    'metric rpc_bucket | promrate 3m | stats s=sum(value) by le, route | where s > 0 | stats p=p90(s) by route',
    'metric rpc_bucket | where le == "1" | stats p=p90(value)',
  ])('%s', (query) => {
    expect(errors(query)).toEqual([expect.stringContaining('OQL-4021')]);
    expect(errors(query)[0]).toContain('metric rpc_bucket | promrate 5m | stats p90=p90(value)');
  });

  test.each([
    'metric rpc_bucket | promrate 3m | where value > 0.5',
    'metric rpc_bucket | increase | extend x = value * 2',
  ])('%s', (query) => {
    expect(errors(query)).toEqual([expect.stringContaining('OQL-4020')]);
  });

  test.each([
    'metric rpc_bucket | promrate 3m | p90',
    'metric rpc_bucket | promrate 3m | p90 by le',
    'metric rpc_bucket | where le == "1" | promrate 3m | sum by route',
  ])('accepts %s', (query) => {
    expect(errors(query)).toEqual([]);
  });
});
