import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';
import { type SeriesOfPoints, seriesTables } from '../testing/series-tables.ts';

/** Each series exists once without duplicates (`copy` is `once`) and once with points sent again, in the same insert and in another one. */
const STEP = 60;
const minutes = Array.from({ length: 60 }, (_, i) => i);
const again = minutes.filter((i) => i % 3 !== 1);

const counter = { kind: 'sum', temporality: 'cumulative' } as const;
const deltas = { kind: 'sum', temporality: 'delta' } as const;
const histogram = { kind: 'histogram', temporality: 'cumulative' } as const;
const deltaHistogram = { kind: 'histogram', temporality: 'delta' } as const;
const powers = { kind: 'exponential_histogram', temporality: 'cumulative' } as const;

// A reset in minute 40.
const total = (i: number) => (i < 40 ? 7 * i : 3 * (i - 39));
const of = {
  counter: (copy: string, at: readonly number[]): SeriesOfPoints => ({
    metric: 'counter',
    ...counter,
    attributes: { copy },
    points: at.map((i) => ({ at: i * STEP, value: total(i) })),
  }),
  deltas: (copy: string, at: readonly number[]): SeriesOfPoints => ({
    metric: 'deltas',
    ...deltas,
    attributes: { copy },
    points: at.map((i) => ({ at: i * STEP, value: i % 5, since: (i - 1) * STEP })),
  }),
  gauge: (copy: string, at: readonly number[]): SeriesOfPoints => ({
    metric: 'gauge',
    kind: 'gauge',
    attributes: { copy },
    points: at.map((i) => ({ at: i * STEP, value: (i * 37) % 11 })),
  }),
  histogram: (copy: string, at: readonly number[]): SeriesOfPoints => ({
    metric: 'histogram',
    ...histogram,
    attributes: { copy },
    histograms: at.map((i) => ({
      at: i * STEP,
      count: 3 * total(i),
      sum: 9 * total(i),
      bounds: [1, 2, 5],
      buckets: [total(i), 0, total(i), total(i)],
    })),
  }),
  deltaHistogram: (copy: string, at: readonly number[]): SeriesOfPoints => ({
    metric: 'deltaHistogram',
    ...deltaHistogram,
    attributes: { copy },
    histograms: at.map((i) => ({
      at: i * STEP,
      since: (i - 1) * STEP,
      count: i + 1,
      sum: i,
      bounds: [1, 2],
      buckets: [i, 1, 0],
    })),
  }),
  powers: (copy: string, at: readonly number[]): SeriesOfPoints => ({
    metric: 'powers',
    ...powers,
    attributes: { copy },
    histograms: at.map((i) => ({
      at: i * STEP,
      count: 2 * total(i),
      sum: 9 * total(i),
      positive: [2, [total(i), 0, total(i)]],
    })),
  }),
};
const kinds = Object.keys(of) as (keyof typeof of)[];

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(
    seriesTables(
      kinds.flatMap((kind) => [of[kind]('once', minutes), of[kind]('again', [...minutes, ...again.slice(0, 9)])]),
      kinds.map((kind) => of[kind]('again', again)),
      kinds.map((kind) => of[kind]('again', again.slice(10, 20))),
      // Copies that differ: the largest one counts.
      [
        {
          kind: 'gauge',
          metric: 'differing',
          points: [
            { at: 0, value: 1 },
            { at: 60, value: 9 },
          ],
        },
        {
          ...histogram,
          metric: 'differing.h',
          histograms: [
            { at: 0, count: 4, sum: 1 },
            { at: 60, count: 9, sum: 2 },
          ],
        },
      ],
      [
        {
          kind: 'gauge',
          metric: 'differing',
          points: [
            { at: 0, value: 5 },
            { at: 60, value: Number.NaN },
          ],
        },
        {
          ...histogram,
          metric: 'differing.h',
          histograms: [
            { at: 0, count: 5, sum: 3 },
            { at: 60, count: 8, sum: 7 },
          ],
        },
      ],
    ),
  );
});
afterAll(() => engine.stop());

const QUESTIONS = [
  'stats n=count(), a=avg(value), s=sum(value), c=sum(count), h=max(value) by copy',
  'increase | stats v=sum(value), c=sum(count), q=quantile(value, 0.3) by copy, bucket(15m)',
  'promrate 7m | stats n=count(), v=sum(value), c=sum(count), s=sum(sum), q=quantile(value, 0.3) by copy, bucket(15m)',
  'stats q=quantile(value, 0.3) by copy',
];

test.each(kinds.flatMap((kind) => QUESTIONS.map((question) => [kind, question] as const)))(
  'metric %s | %s',
  async (kind, question) => {
    const { rows } = await engine.ask(`metric ${kind} | ${question}`);
    const of = (copy: string) => rows.filter((row) => row.includes(copy)).map((row) => row.filter((v) => v !== copy));
    expect(of('once').length).toBeGreaterThan(0);
    expect(of('again')).toEqual(of('once'));
  },
);

test('ignores duplicate points of a counter that grows by seven a minute', async () => {
  const { rows } = await engine.ask('metric counter | where copy == "again" | promincrease 5m | sum by bucket(5m)');
  expect(rows[3]?.[1]).toBe(35);
});

test('keeps the largest value or count of differing copies', async () => {
  expect((await engine.ask('metric differing | sort time | fields value')).rows).toEqual([[5], [9]]);
  expect((await engine.ask('metric differing.h | sort time | fields count, sum')).rows).toEqual([
    [5, 3],
    [9, 2],
  ]);
  expect((await engine.ask('metric differing | where value < 5 | stats n=count()')).rows).toEqual([[0]]);
});
