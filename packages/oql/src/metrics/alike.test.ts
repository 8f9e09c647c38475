import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { decodeRow } from '../result.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { NOW, SCOPE, WINDOW } from '../testing/fixture.ts';
import { type HistogramPoint, type HistogramSeries, seriesTables } from '../testing/series-tables.ts';
import { FAILED_ASSUMPTION } from './assumption.ts';

/** Returns the same numbers on every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Series with equal bounds that begin before or in the hour, with or without a start time, and restart: some with a later
 * start time, some only with a smaller count.
 */
function random(metric: string, n: number, bounds: readonly number[]): HistogramSeries {
  const below = generator(n + 1);
  const histograms: HistogramPoint[] = [];
  let buckets = [...bounds, 0].map(() => below(6));
  let since = [-9000, undefined, 100][n % 3];
  let sum = 0;
  for (let at = [-500, -30, 200, 2990][n % 4] ?? 0; at < 3600; at += 20 + below(400)) {
    if (below(8) === 0) {
      since = since === undefined || at < since ? since : at - 5;
      buckets = buckets.map(() => below(3));
      sum = 0;
    } else buckets = buckets.map((had) => had + below(4));
    sum += below(100) / 8;
    const count = buckets.reduce((all, one) => all + one, 0);
    histograms.push({ at, count, sum, bounds, buckets, ...(since === undefined ? {} : { since }) });
  }
  return { metric, kind: 'histogram', attributes: { group: `g${n % 3}`, n: String(n) }, histograms };
}

const point = (at: number, n: number, more: Partial<HistogramPoint> = {}): HistogramPoint => ({
  at,
  since: -600,
  count: 2 * n,
  sum: n,
  bounds: [1, 2],
  buckets: [n, n, 0],
  ...more,
});
const series = (metric: string, histograms: readonly HistogramPoint[], attributes = {}): HistogramSeries => ({
  metric,
  kind: 'histogram',
  attributes,
  histograms,
});

let engine: Engine;
beforeAll(async () => {
  const wide = { bounds: [1, 3], buckets: [9, 9, 9] };
  engine = await startEngine(
    seriesTables(
      [
        ...Array.from({ length: 24 }, (_, n) => random('same', n, [0.5, 1, 2.5, 10])),
        ...Array.from({ length: 8 }, (_, n) => random('negative', n, [-2, 0, 3])),
        ...Array.from({ length: 4 }, (_, n) => random('boundless', n, [])),
        series('two bounds', [point(60, 1), point(120, 2)], { a: 'x' }),
        series('two bounds', [point(60, 1, wide), point(120, 2, { ...wide, buckets: [10, 10, 10] })], { a: 'y' }),
        series('changed', [point(60, 1), point(120, 2, wide), point(180, 3)]),
        series(
          'infinite',
          [point(60, 1), point(120, 2)].map((one) => ({ ...one, bounds: [1, Infinity] as const })),
        ),
        series('twice', [point(60, 1), point(120, 2)]),
        series('no sum', [point(60, 1), point(120, 2, { sum: null })]),
      ],
      [series('twice', [point(120, 3)])],
    ),
  );
});
afterAll(() => engine.stop());

async function ask(query: string, metric: string, alike: boolean) {
  const metrics = [{ name: metric, kind: 'histogram', temporality: 'cumulative' } as const];
  const options = { scope: SCOPE, window: WINDOW, limit: 10_000, nowNs: NOW, types: { metrics, alike } };
  const compiled = compile(query, options);
  if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message);
  const params = Object.fromEntries(Object.entries(compiled.params).map(([name, { value }]) => [name, value]));
  const rows = await engine.select(compiled.sql, params, compiled.settings);
  const decoded = rows.map((row) => decodeRow(compiled.columns, row));
  // Sums of floats depend on the order in which they are added up.
  return JSON.parse(JSON.stringify(decoded, (_, v) => (typeof v === 'number' ? Number(v.toPrecision(10)) : v)));
}

const steps = ['increase', 'rate', 'delta', 'increase 17m'];
const results = [
  'stats rows=count(), p=p99(value), m=median(value), low=p01(value), all=quantile(value, 1)',
  'stats rows=count(), c=sum(count), s=sum(sum), mean=avg(value), big=max(value), small=min(value)',
  'stats ok=ratio(value <= 1), few=count(value > 2), some=max_if(value, n != "3"), share=histogram_fraction(value, 0, 2)',
];
const groups = ['', ' by group', ' by n', ' by group, bucket(5m)', ' by bucket(7m)'];

describe('histograms that are alike', () => {
  test.each(steps.flatMap((step) => results.map((result) => [step, result] as const)))(
    'grow as they do without that assumption: %s | %s',
    async (step, result) => {
      for (const metric of ['same', 'negative', 'boundless'])
        for (const by of metric === 'same' ? groups : groups.slice(-2)) {
          const query = `metric ${metric} | ${step} | ${result}${by}`;
          const [alike, general] = [await ask(query, metric, true), await ask(query, metric, false)];
          expect(alike, query).toEqual(general);
          expect(general.length, query).toBeGreaterThan(0);
        }
    },
  );

  test('give the same answer with conditions on points', async () => {
    const query =
      'metric same | where count > 20 and group != "g1" | increase | stats p=p90(value), c=sum(count) by group';
    expect(await ask(query, 'same', true)).toEqual(await ask(query, 'same', false));
  });
});

describe('a statement for histograms that are alike', () => {
  test.each([
    ['two bounds', 'increase | p50'],
    ['two bounds', 'increase | stats v=ratio(value <= 1)'],
    ['changed', 'increase | p50'],
    ['changed', 'increase | p50 by bucket(1m)'],
    ['infinite', 'increase | p50'],
    ['twice', 'increase | p50'],
    ['twice', 'rate | sum'],
    ['no sum', 'increase | sum'],
  ])('fails when the histograms differ: %s | %s', async (metric, rest) => {
    const query = `metric "${metric}" | ${rest}`;
    await expect(ask(query, metric, true)).rejects.toThrow(new RegExp(`^${FAILED_ASSUMPTION.alike}`));
    expect(await ask(query, metric, false)).not.toHaveLength(0);
  });

  test('succeeds when they differ only in data that the query does not use', async () => {
    expect(await ask('metric "two bounds" | increase | p50 by a', 'two bounds', true)).toEqual([
      ['x', 1],
      ['y', 2],
    ]);
    expect(await ask('metric "no sum" | increase | p50', 'no sum', true)).toEqual([[1]]);
    expect(await ask('metric changed | increase | sum(count)', 'changed', true)).toHaveLength(1);
  });
});
