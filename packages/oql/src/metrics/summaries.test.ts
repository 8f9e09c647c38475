import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { NOW, SCOPE, WINDOW } from '../testing/fixture.ts';
import { seriesTables } from '../testing/series-tables.ts';

const summary = { metric: 'rpc.latency', kind: 'summary' } as const;

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(
    seriesTables([
      {
        ...summary,
        attributes: { host: 'a' },
        histograms: [
          { at: 60, count: 10, sum: 5, quantiles: { 0.5: 0.2, 0.99: 0.9 } },
          { at: 120, count: 20, sum: 9, quantiles: { 0.5: 0.3, 0.99: 0.8 } },
        ],
      },
      {
        ...summary,
        attributes: { host: 'b' },
        histograms: [{ at: 60, count: 4, sum: 4, quantiles: { 0.5: Number.NaN } }],
      },
    ]),
  );
});
afterAll(() => engine.stop());

test('returns the quantiles that the source of a summary computed', async () => {
  const query =
    'metric rpc.latency | extend p50=summary_quantile(value, 0.5), p99=summary_quantile(value, 0.99) | sort host, time | fields host, p50, p99, count';
  expect((await engine.ask(query)).rows).toEqual([
    ['a', 0.2, 0.9, 10],
    ['a', 0.3, 0.8, 20],
    ['b', 'NaN', null, 4],
  ]);
  const { rows } = await engine.ask(
    'metric rpc.latency | extend p99=summary_quantile(value, 0.99) | stats worst=max(p99), n=sum(count), a=avg(value)',
  );
  expect(rows).toEqual([[0.9, 34, 18 / 34]]);
});

const catalogue = { fields: [], metrics: [{ name: 's', kind: 'summary' }] } as const;
const problems = (query: string) => {
  const compiled = compile(query, { scope: SCOPE, window: WINDOW, limit: 10, nowNs: NOW, catalogue });
  return compiled.ok ? [] : compiled.diagnostics.map(({ code, message }) => `${code} ${message}`);
};

test.each([
  'metric s | p99',
  'metric s | increase | stats q=quantile(value, 0.5)',
  'metric s | stats q=ratio(value <= 1)',
  'metric s | stats q=histogram_fraction(value, 0, 1)',
  'metric s | stats q=max(value)',
])('%s is an error that shows how to read the quantiles', (query) => {
  expect(problems(query)).toEqual([expect.stringMatching(/^OQL-4022 .*summary_quantile\(value, 0\.99\)/)]);
});

test('rejects quantiles of summaries after a range function', () => {
  expect(problems('metric s | increase | extend p = summary_quantile(value, 0.5)')).toEqual([
    expect.stringContaining('read them before it'),
  ]);
  expect(problems('metric s | increase | stats n=sum(count), a=avg(value)')).toEqual([]);
});
