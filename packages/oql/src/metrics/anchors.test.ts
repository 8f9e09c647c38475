import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile } from '../compile.ts';
import { boundForEngine, type Engine, startEngine } from '../testing/engine.ts';
import { NOW, SCOPE, WINDOW } from '../testing/fixture.ts';
import { seriesTables } from '../testing/series-tables.ts';
import { START } from '../testing/world.ts';
import { farLookback } from './anchored.ts';

/** Counters and histograms that grow by one a second for a day, exported at different intervals, and the start of which is long ago. */
const DAY = 86_400;
const DAY_NS = 86_400_000_000_000n;
const MINUTE = 60;
const INTERVALS = { often: 15, quarter: 15 * MINUTE, hour: 60 * MINUTE, rare: 4 * 60 * MINUTE };
const times = (interval: number) =>
  Array.from({ length: DAY / interval }, (_, i) => i * interval + Math.floor(interval / 2) - DAY + 7_200);
const counted = (at: number) => 1_000_000 + at;

/** Counters around a window that begins 500 ns after a whole millisecond, and what they grew in it. */
const EDGES = [
  { s: 'earlier', points: [{ at: 0, nanos: 499, value: 10 }], since: -10 * DAY, sinceNanos: 0, grown: 5 },
  { s: 'begun before', points: [{ at: 0, nanos: 500, value: 10 }], since: 0, sinceNanos: 499, grown: 5 },
  { s: 'begun within', points: [{ at: 0, nanos: 500, value: 10 }], since: 0, sinceNanos: 500, grown: 15 },
  { s: 'just near', points: [{ at: -600, nanos: 500, value: 10 }], since: -10 * DAY, sinceNanos: 0, grown: 5 },
  { s: 'just far', points: [{ at: -600, nanos: 499, value: 10 }], since: -10 * DAY, sinceNanos: 0, grown: 5 },
  { s: 'farthest', points: [{ at: -7_200, nanos: 500, value: 10 }], since: -10 * DAY, sinceNanos: 0, grown: 5 },
  { s: 'too far', points: [{ at: -7_200, nanos: 499, value: 10 }], since: -10 * DAY, sinceNanos: 0, grown: 0 },
];

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(
    seriesTables([
      ...EDGES.map(({ s, points, since, sinceNanos }) => ({
        metric: s,
        kind: 'sum' as const,
        points: [...points, { at: 1, value: 15 }].map((point) => ({ ...point, since, sinceNanos })),
      })),
      ...Object.entries(INTERVALS).flatMap(([s, interval]) => [
        {
          metric: 'counter',
          kind: 'sum' as const,
          attributes: { s },
          points: times(interval).map((at) => ({ at, value: counted(at), since: -10 * DAY })),
        },
        {
          metric: 'histogram',
          kind: 'histogram' as const,
          attributes: { s },
          histograms: times(interval).map((at) => ({
            at,
            since: -10 * DAY,
            count: counted(at),
            sum: counted(at),
            bounds: [1],
            buckets: [counted(at), 0],
          })),
        },
      ]),
    ]),
  );
});
afterAll(() => engine.stop());

async function grown(query: string, fromS: number, toS: number): Promise<Record<string, unknown>> {
  const at = (seconds: number) => START + BigInt(seconds) * 1_000_000_000n;
  const { rows } = await engine.ask(query, { window: { fromNs: at(fromS), toNs: at(toS) } });
  return Object.fromEntries(rows.map(([series, value]) => [String(series), value]));
}

describe.each(['metric counter | increase | sum by s', 'metric histogram | increase | stats sum(count) by s'])(
  '%s',
  (query) => {
    it('counts all that a series grew, whatever its interval is', async () => {
      expect(await grown(query, 0, 3_600)).toMatchObject({ often: 3_600, quarter: 3_600, hour: 3_600 });
    });

    it('counts none of a series without an earlier point in its look-back, beyond its first point', async () => {
      // The points are 4 hours apart, and one is in the window.
      expect(await grown(query, -3_600, 3_600)).toMatchObject({ quarter: 7_200, hour: 7_200, rare: 0 });
    });
  },
);

it.each(EDGES)('counts to the nanosecond what a series grew: $s', async ({ s, grown }) => {
  const window = { fromNs: START + 500n, toNs: START + 2_000_000_000n };
  expect((await engine.ask(`metric "${s}" | increase | sum`, { window })).rows).toEqual([[grown]]);
  const offset = { fromNs: window.fromNs + DAY_NS, toNs: window.toNs + DAY_NS };
  expect((await engine.ask(`metric "${s}" | offset 1d | increase | sum`, { window: offset })).rows).toEqual([[grown]]);
});

describe.each([
  ['metric counter | increase | sum by s', 1],
  ['metric counter | where s == "often" | rate | avg', 0],
  ['metric counter | where s == "rare" | delta | sum', 1],
  ['metric counter | increase | sum by s, bucket(1h)', 1],
  ['metric counter | increase | sum by s | compare 4h', 2],
  ['let a = (metric counter | increase | sum by s | fields s); metric counter | where s in (a) | increase | sum', 2],
  ['metric histogram | increase | stats sum(count) by s', 1],
  ['metric histogram | stats p50(value) by s', 1],
  ['metric counter | sum by s', undefined],
])('%s', (query, expected) => {
  it('counts the series without an earlier point', async () => {
    const window = { fromNs: START - 3_600_000_000_000n, toNs: START + 3_600_000_000_000n };
    const options = { scope: SCOPE, window, limit: 10, nowNs: NOW };
    const compiled = compile(query, options);
    if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join());
    const { anchorless, settings } = compiled;
    const rows = anchorless && (await engine.select(anchorless.sql, boundForEngine(anchorless.params), settings));
    expect(rows && Number(rows[0]?.[0])).toBe(expected);
  });
});

it('needs no count where the statement fails at a series without an earlier point', () => {
  const types = { metrics: [{ name: 'counter', kind: 'sum', temporality: 'cumulative' }], alike: true } as const;
  const compiled = compile('metric counter | increase | sum', {
    scope: SCOPE,
    window: WINDOW,
    limit: 10,
    nowNs: NOW,
    types,
  });
  expect(compiled.ok && compiled.anchorless).toBeUndefined();
});

it('looks back longer for a longer range', () => {
  const hours = (n: number) => BigInt(n) * 3_600_000_000_000n;
  expect([1, 48, 168, 10_000].map((range) => Number(farLookback(hours(range)) / 60_000_000_000n))).toEqual([
    120, 180, 630, 2_880,
  ]);
});
