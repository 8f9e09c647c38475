import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { NOW, SCOPE, WINDOW } from '../testing/fixture.ts';
import { type HistogramPoint, seriesTables } from '../testing/series-tables.ts';

/** One point of a delta histogram, all of whose counts are within the range. */
function once(metric: string, point: Omit<HistogramPoint, 'at'>, attributes = {}, at = 600) {
  const kind = point.bounds ? ('histogram' as const) : ('exponential_histogram' as const);
  const temporality = 'delta' as const;
  return { metric, kind, temporality, attributes, histograms: [{ at, since: at - 60, ...point }] };
}

const cumulative = (n: number) => ({ count: 4 * n, sum: 9 * n, bounds: [0.1, 1], buckets: [n, 2 * n, n] });

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(
    seriesTables([
      once('explicit', { count: 10, sum: 30, min: 0.5, max: 9, bounds: [1, 2, 4], buckets: [2, 4, 3, 1] }, { a: 'x' }),
      once('explicit', { count: 2, sum: 1, min: 0.2, max: 0.8, bounds: [1, 2, 4], buckets: [2, 0, 0, 0] }, { a: 'y' }),
      once('negative', { count: 8, sum: 0, bounds: [-1, 1], buckets: [2, 4, 2] }),
      once('boundless', { count: 8, sum: 4, bounds: [], buckets: [8] }),
      // Base 2: (1, 2], (2, 4] on both sides, and zero.
      once('powers', { count: 10, sum: 5, zero: 2, positive: [0, [2, 2]], negative: [0, [2, 2]] }, { s: 'wide' }),
      once('growing', { count: 4, sum: 6, scale: 0, positive: [0, [4]] }, { s: 'coarse' }),
      once('growing', { count: 4, sum: 6, scale: 1, positive: [0, [2, 2]] }, { s: 'fine' }),
      once('band', { count: 4, sum: 1, zero: 4, threshold: 0.5, positive: [0, []], negative: [0, []] }),
      {
        metric: 'rpc.dur',
        kind: 'histogram',
        histograms: [-60, 0, 60, 120, 180].map((at, i) => ({ at, since: -600, ...cumulative(i + 1) })),
      },
      { metric: 'both', kind: 'gauge', points: [1, 5].map((value, i) => ({ at: i, value })) },
      once('both', { count: 2, sum: 3, bounds: [1, 2], buckets: [1, 1, 0] }),
    ]),
  );
});
afterAll(() => engine.stop());

const one = async (query: string) => (await engine.ask(query)).rows.map((row) => (row.length === 1 ? row[0] : row));

describe('a count of observations', () => {
  const options = { scope: SCOPE, window: WINDOW, limit: 10, nowNs: NOW };
  const known = (kind: 'histogram' | 'gauge') => ({
    ...options,
    types: { metrics: [{ name: 'm', kind, temporality: 'cumulative' as const }] },
  });
  const mixed = [
    'metric m | stats r=count(value <= 0.1)/count()',
    'metric m | stats r=count()/count(value)',
    'metric m | increase | stats r=count(value <= 0.1) / count()',
    'metric m | stats a=count(value <= 0.1), n=count() | extend r = a / n',
  ];

  test.each(mixed)('is not divided by a count of points: %s', (query) => {
    const compiled = compile(query, known('histogram'));
    expect(compiled).toMatchObject({ ok: false, diagnostics: [{ code: 'OQL-4020' }] });
    expect(compiled.ok ? [] : compiled.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('`ratio(value <= 0.1)`'),
    ]);
    expect(compile(query, known('gauge'))).toMatchObject({ ok: true });
  });

  test('is divided by a count of observations', async () => {
    expect(await one('metric explicit | stats v=count(value <= 1)/count(value)')).toEqual([4 / 12]);
  });
});

describe('the share of a histogram below a bound', () => {
  test.each([
    // Twelve values: four up to 1, four up to 2, three up to 4, one beyond.
    ['metric explicit | stats v=ratio(value <= 1)', 4 / 12],
    ['metric explicit | stats v=ratio(value < 1.5)', 6 / 12],
    ['metric explicit | stats v=ratio(value > 1.5)', 6 / 12],
    ['metric explicit | stats v=ratio(1.5 >= value)', 6 / 12],
    ['metric explicit | stats v=ratio(value between 0.5 .. 3)', (4 - 2 + 4 + 1.5) / 12],
    ['metric explicit | stats v=count(value <= 3)', 9.5],
    ['metric explicit | stats v=count(value > 4)', 1],
    ['metric explicit | stats v=count(value <= 1000)', 11],
    ['metric explicit | stats v=count(value <= 0)', 0],
    ['metric explicit | stats v=histogram_fraction(value, 1, 2)', 4 / 12],
    ['metric explicit | stats v=histogram_fraction(value, null, 2)', 8 / 12],
    ['metric explicit | stats v=histogram_fraction(value, 4, null)', 1 / 12],
    ['metric explicit | stats v=histogram_fraction(value, 3, 1)', 0],
    ['metric explicit | stats v=count(value)', 12],
    ['metric explicit | increase | stats v=ratio(value <= 1)', 4 / 12],
    ['metric explicit | increase | stats v=count(value <= 1.5)', 6],
    ['metric explicit | stats v=1 - ratio(value <= 1)', 8 / 12],
    // Four values a minute, one of them up to 0.1; steps count from the point before the range.
    ['metric rpc.dur | increase | stats v=ratio(value <= 0.1)', 0.25],
    ['metric rpc.dur | increase | stats v=count(value <= 0.1)', 4],
    ['metric rpc.dur | stats v=count(value <= 0.1)', 4],
    ['metric rpc.dur | rate | stats v=ratio(value <= 0.55) by bucket(1h)', 0.5],
    ['metric rpc.dur | promincrease | stats v=ratio(value <= 0.55)', 0.5],
    ['metric negative | stats v=ratio(value <= 0)', 0.5],
    ['metric negative | stats v=ratio(value <= -1)', 0.25],
    ['metric negative | stats v=ratio(value < -5)', 0],
    ['metric boundless | stats v=ratio(value <= 1)', null],
    ['metric powers | stats v=ratio(value <= 0)', 0.6],
    ['metric powers | stats v=ratio(value < 0)', 0.4],
    ['metric powers | stats v=ratio(value >= 0)', 0.6],
    ['metric powers | stats v=ratio(value <= 2)', 0.8],
    ['metric powers | stats v=ratio(value <= -2)', 0.2],
    ['metric powers | stats v=count(value <= 1.4142135623730951)', 7],
    ['metric growing | stats v=count(value <= 1.4142135623730951)', 4],
    ['metric band | stats v=ratio(value <= 0.25)', 0.75],
    // Two numbers, 1 and 5, and two observations, one up to 1 and one up to 2.
    ['metric both | stats v=count(value <= 1.5)', 2.5],
    ['metric both | stats v=ratio(value <= 1.5)', 0.625],
    ['metric none | stats v=ratio(value <= 1)', null],
    ['metric none | stats v=count(value <= 1)', 0],
    // Recorded extremes; from buckets where not every point has recorded them.
    ['metric explicit | stats v=max(value)', 9],
    ['metric explicit | stats v=min(value)', 0.2],
    ['metric explicit | stats v=max_if(value, a == "y")', 0.8],
    ['metric rpc.dur | stats v=max(value)', 1],
    ['metric rpc.dur | increase | stats v=min(value)', 0],
    ['metric negative | stats v=min(value)', -1],
    ['metric powers | stats v=max(value)', 4],
    ['metric powers | stats v=min(value)', -4],
    ['metric both | stats v=max(value)', 5],
    ['metric explicit | stats v=sum_if(value, a == "y")', 1],
    ['metric explicit | stats v=avg_if(value, a == "x")', 3],
    ['metric boundless | stats v=p50(value)', null],
  ] as const)('%s', async (query, expected) => {
    const [value] = (await one(query)).map((row) => (Array.isArray(row) ? row.at(-1) : row));
    if (expected === null) expect(value).toBeNull();
    else expect(value).toBeCloseTo(expected, 9);
  });
});

describe('a query that a histogram cannot answer', () => {
  const seen = { signal: 'metric', scope: 'attribute', types: ['string'] } as const;
  const catalogue = {
    fields: ['a', 'threshold'].map((name) => ({ ...seen, name })),
    metrics: [{ name: 'h', kind: 'histogram' }],
  } as const;
  const options = { scope: SCOPE, window: WINDOW, limit: 10, nowNs: NOW, catalogue };
  const problems = (query: string) => {
    const compiled = compile(query, options);
    return compiled.ok ? [] : compiled.diagnostics.map(({ code, message }) => `${code} ${message}`);
  };

  test.each([
    'metric h | where value > 0.1',
    'metric h | where value > 0.1 and a == "x" | count()',
    'metric h | increase | where value == 1',
    'metric h | increase | stats n=sum_if(value, value <= 0.1)',
    'metric h | increase | stats n=ratio(value <= 0.1 and a == "x")',
    'metric h | increase | stats n=ratio(not value <= 0.1)',
    'metric h | increase | stats n=ratio(value == 0.1)',
    'metric h | increase | stats n=ratio(value <= threshold)',
    'metric h | where value between 1 .. 2',
    'metric h | where value in (1, 2)',
    'metric h | extend double = value * 2',
    'metric h | extend x = abs(value)',
    'metric h | stats s=stddev(value)',
    'metric h | stats v=last(value)',
    'metric h | stats v=list(value)',
    'metric h | stats n=count() by value',
    'metric h | sort -value',
    'metric h | top 3 by value',
    'metric h | dedup value',
  ])('%s', (query) => {
    expect(problems(query)).toEqual([expect.stringMatching(/^OQL-4020 .*ratio\(value/)]);
  });

  test('shows the fix in the error, in terms of the query', () => {
    expect(problems('metric h | where value > 250')[0]).toContain('stats ratio(value > 250)');
  });

  test.each([
    'metric h | where value == null',
    'metric h | increase | stats p99=p99(value) | where p99 > 0.1',
    'metric h | where a == "x" and count > 5',
  ])('accepts %s', (query) => {
    expect(problems(query)).toEqual([]);
  });
});
