import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { FAILED_ASSUMPTION } from '../index.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { SCOPE } from '../testing/fixture.ts';
import { type SeriesOfPoints, seriesTables } from '../testing/series-tables.ts';
import { START } from '../testing/world.ts';

const LARGEST = 2n ** 63n - 1n;
/** A point as ingest stores it: the nearest float, and the integer beyond 2^53. */
const point = (at: number, integer: bigint) => {
  const value = Number(integer);
  return { at, value, since: -60, ...(!Number.isSafeInteger(value) && { integer }) };
};
const gauge = (metric: string, ...integers: readonly bigint[]): SeriesOfPoints => ({
  metric,
  kind: 'gauge',
  points: integers.map((one, i) => point(i * 60, one)),
});
const SERIES = [
  gauge('largest', LARGEST),
  gauge('near', 2n ** 62n - 1n, 2n ** 62n, -(2n ** 62n) - 1n, -(2n ** 62n)),
  gauge('odd', 2n ** 53n + 1n, 2n, -5n),
  gauge('small', 2n ** 52n, 2n ** 52n, 1n),
  gauge('too.many', LARGEST, LARGEST),
  { metric: 'mixed', kind: 'gauge', points: [point(0, 2n ** 53n + 1n), { at: 60, value: 0.5 }] },
  { metric: 'bytes', kind: 'sum', points: [0n, 5n, 8n, 9n].map((one, i) => point(i * 60, 2n ** 60n + 1n + one)) },
  {
    metric: 'deltas',
    kind: 'sum',
    temporality: 'delta',
    points: [1n, 2n, 3n].map((one, i) => point(i * 60, 2n ** 60n + one)),
  },
  {
    metric: 'jump',
    kind: 'sum',
    temporality: 'cumulative',
    points: [0n, 2n ** 62n + 1n].map((one, i) => point(i * 60, one)),
  },
] satisfies readonly SeriesOfPoints[];

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(seriesTables(SERIES));
});
afterAll(() => engine.stop());

/** As the gateway compiles where there are such integers. */
const metrics = SERIES.map(({ metric, kind, temporality }: SeriesOfPoints) => ({
  name: metric,
  kind,
  temporality: temporality ?? (kind === 'sum' ? ('cumulative' as const) : ('unspecified' as const)),
}));
const exactly = { types: { metrics, integers: true } };

const optionsOf = (query: string) => ({
  types: { metrics: metrics.filter(({ name }) => name === query.split(' ')[0]), integers: true },
  window: { fromNs: START, toNs: START + 3_600_000_000_000n },
});

test.each([
  ['largest', `== ${LARGEST}`, 1],
  ['largest', `== ${LARGEST - 1n}`, 0],
  ['largest', `!= ${LARGEST}`, 0],
  ['largest', `> ${LARGEST - 1n}`, 1],
  ['largest', `>= ${LARGEST}`, 1],
  ['largest', `in (1, ${LARGEST})`, 1],
  ['largest', `in (1, ${LARGEST - 1n})`, 0],
  ['largest', `between ${LARGEST} .. ${LARGEST}`, 1],
  ['near', `== ${2n ** 62n}`, 1],
  ['near', `< ${2n ** 62n} and value > 0`, 1],
  ['odd', `== ${2n ** 53n}`, 0],
  ['odd', `> ${2n ** 53n}`, 1],
  ['odd', '== 2', 1],
])('compares the points of %s exactly: value %s', async (metric, condition, expected) => {
  for (const options of [{}, exactly]) {
    const { rows } = await engine.ask(`metric ${metric} | where value ${condition} | count`, options);
    expect(rows).toEqual([[expected]]);
  }
});

test('prints integers with all digits, and other values as numbers', async () => {
  for (const stages of ['fields value', 'sort value | fields value', 'where value != 1 | fields value | limit 9']) {
    const { rows } = await engine.ask(`metric odd | ${stages}`);
    expect(rows.flat().sort()).toEqual([-5, 2, '9007199254740993']);
  }
  expect((await engine.ask('metric largest')).rows[0]?.[1]).toBe(String(LARGEST));
});

test.each([
  ['largest | max', String(LARGEST)],
  ['largest | min', String(LARGEST)],
  ['near | max', String(2n ** 62n)],
  ['near | min', String(-(2n ** 62n) - 1n)],
  ['near | where value > 0 | min', String(2n ** 62n - 1n)],
  ['odd | sum', 9007199254740990],
  ['odd | where value > 0 | sum', '9007199254740995'],
  ['small | sum', '9007199254740993'],
  ['too.many | sum', 2 ** 64],
  ['mixed | sum', 2 ** 53 + 1],
  ['bytes | increase | sum', 9],
  ['bytes | delta | sum', 9],
  ['deltas | sum', String(3n * 2n ** 60n + 6n)],
  ['deltas | max', String(2n ** 60n + 3n)],
])('computes %s in integers while it fits', async (query, expected) => {
  const { rows } = await engine.ask(`metric ${query}`, optionsOf(query));
  expect(rows.map((row) => row.at(-1))).toEqual([expected]);
});

test.each(['largest | count', 'bytes | increase | sum', 'small | sum'])(
  'a statement that assumes no such integers fails for %s',
  async (query) => {
    const types = { metrics, integers: false };
    const asked = engine.ask(`metric ${query}`, { types });
    await expect(asked).rejects.toMatchObject({
      cause: { message: expect.stringContaining(FAILED_ASSUMPTION.integers) },
    });
  },
);

describe('growth that a float rounds', () => {
  // 3 * 2^60 + 6 and 2^62 + 1 are between two floats.
  test.each([
    ['deltas | increase | sum', 3 * 2 ** 60],
    ['deltas | rate | sum', (3 * 2 ** 60) / 3_600],
    ['deltas | delta | sum', 3 * 2 ** 60],
    ['jump | increase | sum', 2 ** 62],
    ['jump | delta | sum', 2 ** 62],
  ])('is the nearest float: %s', async (query, expected) => {
    const { rows } = await engine.ask(`metric ${query}`, optionsOf(query));
    expect(rows.map((row) => row.at(-1))).toEqual([expected]);
  });

  test.each([
    ['deltas | increase | sum', ['OQL-4101']],
    ['deltas | rate 5m | sum by bucket(5m)', ['OQL-4101']],
    ['deltas | sum', []],
    ['bytes | increase | sum', []],
  ])('of %s is warned of: %j', (query, codes) => {
    const options = optionsOf(query);
    const result = compile(`metric ${query}`, { scope: SCOPE, limit: 10, nowNs: options.window.toNs, ...options });
    expect(result.ok && result.warnings.map(({ code }) => code)).toEqual(codes);
  });
});
