import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';
import { type HistogramPoint, type NumberPoint, type SeriesOfPoints, seriesTables } from '../testing/series-tables.ts';
import { START } from '../testing/world.ts';

/** Points within one and a half milliseconds, in minute 10: three of them in the same millisecond. */
const MOMENTS = [
  { at: 600, nanos: 0 },
  { at: 600, nanos: 100_000 },
  { at: 600, nanos: 200_001 },
  { at: 600.001, nanos: 500_000 },
] as const;
const numbers = (of: (i: number) => Omit<NumberPoint, 'at'>): NumberPoint[] =>
  MOMENTS.map((moment, i) => ({ ...of(i), ...moment }));
const counts = (of: (i: number) => Omit<HistogramPoint, 'at'>): HistogramPoint[] =>
  MOMENTS.map((moment, i) => ({ ...of(i), ...moment }));

const SERIES: readonly SeriesOfPoints[] = [
  { metric: 'deltas', kind: 'sum', temporality: 'delta', points: numbers(() => ({ value: 5, since: 599 })) },
  { metric: 'gauge', kind: 'gauge', points: numbers((i) => ({ value: i + 1 })) },
  // Restarts between the second and the third point: 1, 1 + 4, then 2 from a new start, and 2 more.
  {
    metric: 'counter',
    kind: 'sum',
    points: [...numbers((i) => ({ value: [1, 5, 6, 8][i] ?? 0, since: 599, sinceNanos: i < 2 ? 1_000 : 1_001 }))],
  },
  {
    metric: 'delta.histogram',
    kind: 'histogram',
    temporality: 'delta',
    histograms: counts(() => ({ since: 599, count: 3, sum: 6, bounds: [2], buckets: [1, 2] })),
  },
  {
    metric: 'histogram',
    kind: 'histogram',
    histograms: counts((i) => ({ since: 599, count: 3 * i + 3, sum: 6 * i, bounds: [2], buckets: [i + 1, 2 * i + 2] })),
  },
  {
    metric: 'exponential',
    kind: 'exponential_histogram',
    temporality: 'delta',
    histograms: counts(() => ({ since: 599, count: 3, sum: 6, positive: [0, [1, 2]] })),
  },
  { metric: 'summary', kind: 'summary', histograms: counts((i) => ({ count: i + 1, sum: i, quantiles: { 0.5: i } })) },
];

let engine: Engine;
beforeAll(async () => {
  // All of it twice, in two parts: copies of a moment count once.
  engine = await startEngine(seriesTables(SERIES, SERIES));
});
afterAll(() => engine.stop());

test.each([
  ['metric deltas | increase | sum', 20],
  ['metric deltas | increase | sum by bucket(1h)', 20],
  ['metric deltas | count', 4],
  ['metric deltas | sum', 20],
  ['metric gauge | count', 4],
  ['metric gauge | avg', 2.5],
  ['metric gauge | stats v=last(value)', 4],
  ['metric gauge | delta | sum', 3],
  ['metric gauge | where value >= 2 | count', 3],
  // From 1,000 ns after the start on: 5, then 6 of the new start, and 2.
  ['metric counter | increase | sum', 13],
  ['metric delta.histogram | count', 4],
  ['metric delta.histogram | increase | stats n=sum(count)', 12],
  ['metric histogram | increase | stats n=sum(count)', 12],
  ['metric exponential | increase | stats n=sum(count)', 12],
  ['metric summary | count', 4],
  ['metric summary | stats n=sum(count)', 10],
])('%s has all points of a millisecond', async (query, expected) => {
  const { rows } = await engine.ask(query);
  expect(rows.at(-1)?.at(-1)).toBe(expected);
});

test('prints the nanoseconds of a time', async () => {
  const { rows } = await engine.ask('metric counter | fields time, start_time | sort time');
  expect(rows).toEqual([
    ['2026-11-19T14:10:00Z', '2026-11-19T14:09:59.000001Z'],
    ['2026-11-19T14:10:00.000100Z', '2026-11-19T14:09:59.000001Z'],
    ['2026-11-19T14:10:00.000200001Z', '2026-11-19T14:09:59.000001001Z'],
    ['2026-11-19T14:10:00.001500Z', '2026-11-19T14:09:59.000001001Z'],
  ]);
});

test.each([
  [100_000n, 200_001n, 1],
  [100_001n, 200_002n, 1],
  [0n, 1_000_000n, 3],
  [200_002n, 1_500_000n, 0],
  [200_002n, 1_500_001n, 1],
])('reads the points from %s up to %s nanoseconds', async (from, to, expected) => {
  const at = START + 600_000_000_000n;
  const window = { fromNs: at + from, toNs: at + to };
  for (const metric of ['gauge', 'summary']) {
    const { rows } = await engine.ask(`metric ${metric} | count`, { window });
    expect(rows).toEqual([[expected]]);
  }
});
