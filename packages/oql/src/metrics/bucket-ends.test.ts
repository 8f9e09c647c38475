import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, startEngine } from '../testing/engine.ts';
import { seriesTables } from '../testing/series-tables.ts';
import { START } from '../testing/world.ts';

/** A counter that grows by one a second, every 15 seconds for two hours from an hour before the start; and a histogram that observes as often. */
const SECONDS = Array.from({ length: 480 }, (_, i) => -3_600 + i * 15);
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(
    seriesTables([
      {
        metric: 'steady',
        kind: 'sum',
        temporality: 'cumulative',
        attributes: { s: 'a' },
        points: SECONDS.map((at) => ({ at, value: 10_000 + at, since: -7_200 })),
      },
      {
        metric: 'latency',
        kind: 'histogram',
        attributes: { s: 'a' },
        histograms: SECONDS.map((at) => ({
          at,
          since: -7_200,
          count: 10_000 + at,
          sum: 10_000 + at,
          bounds: [1],
          buckets: [10_000 + at, 0],
        })),
      },
    ]),
  );
});
afterAll(() => engine.stop());

const at = (seconds: number) => START + BigInt(seconds) * 1_000_000_000n;
async function ask(query: string, [from, to]: readonly [number, number], now = to): Promise<readonly unknown[]> {
  const { rows } = await engine.ask(query, { window: { fromNs: at(from), toNs: at(to) }, nowNs: at(now) });
  return rows.map((row) => row.at(-1));
}

describe('a bucket that the end of the range cuts', () => {
  it.each([
    ['rate | sum by bucket(5m)', [-900, 75], [1, 1, 1, 1]],
    ['rate 5m | sum by bucket(5m)', [-900, 75], [1, 1, 1, 1]],
    ['rate 5m | sum by bucket(1m)', [-120, 15], [1, 1, 1]],
    ['rate 2m | sum by bucket(5m)', [-600, 30], [1, 1, 1]],
    ['rate 90s | sum by bucket(1m)', [-60, 15], [1, 1]],
    ['increase 5m | sum by bucket(5m)', [-600, 75], [300, 300, 300]],
    ['rate 5m | sum by bucket(1h)', [75, 90], [1]],
    ['delta 5m | sum by bucket(5m)', [-300, 75], [300, 300]],
  ] as const)('covers a whole look-back: %s', async (stages, window, expected) => {
    expect(await ask(`metric steady | ${stages}`, window)).toEqual(expected);
    const perHistogram = stages.replace('| sum', '| stats n=sum(count)');
    expect(await ask(`metric latency | ${perHistogram}`, window)).toEqual(expected);
  });

  it('adds up with the others where no look-back is given', async () => {
    expect(await ask('metric steady | increase | sum by bucket(5m)', [-600, 75])).toEqual([300, 300, 75]);
    expect(await ask('metric steady | delta | sum by bucket(5m)', [-600, 75])).toEqual([300, 300, 75]);
  });

  it('is evaluated now if the range ends later, and buckets that are to come have no row', async () => {
    for (const fn of ['rate', 'rate 5m', 'promrate 5m', 'irate 5m', 'deriv 5m']) {
      const rates = await ask(`metric steady | ${fn} | sum by bucket(5m)`, [-600, 3_600], 75);
      expect(rates, fn).toHaveLength(3);
      for (const rate of rates) expect(rate, fn).toBeCloseTo(1, 9);
    }
    expect(await ask('metric steady | rate | sum', [-600, 3_600], 75)).toEqual([1]);
    expect(await ask('metric steady | rate 5m | sum', [-600, 3_600], 75)).toEqual([1]);
  });

  it.each([60, 75])('has no row if it begins after now, %i s after the start', async (now) => {
    for (const fn of ['rate 5m', 'rate 90s', 'promrate 5m']) {
      const rates = await ask(`metric steady | ${fn} | sum by bucket(1m)`, [-120, 600], now);
      expect(rates, fn).toHaveLength(now === 60 ? 3 : 4);
    }
  });

  it('has quantiles of its whole look-back', async () => {
    expect(await ask('metric latency | rate 5m | p50 by bucket(5m)', [-300, 75])).toEqual([0.5, 0.5]);
  });
});

describe('`window`', () => {
  const perSecond = 'stats n=count(), rate=count()/window by bucket(5m)';
  /** A point every 15 seconds. */
  const each = 1 / 15;

  it('is the part of a bucket that lies in the range', async () => {
    const rates = await ask(`metric steady | ${perSecond}`, [-480, 75]);
    expect(rates).toHaveLength(3);
    for (const rate of rates) expect(rate).toBeCloseTo(each, 9);
  });

  it('is the part of a bucket that is over', async () => {
    // The points of the future stand for rows that arrive a little early.
    const rates = await ask(`metric steady | where time < now() | ${perSecond}`, [-600, 3_600], 75);
    expect(rates).toHaveLength(3);
    for (const rate of rates) expect(rate).toBeCloseTo(each, 9);
  });

  it('is the part of a range that is over', async () => {
    expect(await ask('metric steady | stats w=window, n=count()', [-600, 3_600], 75)).toEqual([280]);
    const [[width]] = [await ask('metric steady | where time < now() | stats rate=count()/window', [-600, 3_600], 75)];
    expect(width).toBeCloseTo(each, 9);
  });

  it('is the same in later stages', async () => {
    const query = 'metric steady | stats n=count() by bucket(5m) | extend rate = n / window';
    for (const rate of await ask(query, [-480, 75])) expect(rate).toBeCloseTo(each, 9);
  });

  it('is 0 for a bucket that is to come, so nothing can be divided by it', async () => {
    expect((await ask(`metric steady | ${perSecond}`, [0, 900], 300)).slice(1)).toEqual([null, null]);
  });

  it('is a whole bucket after a look-back, and where the first bucket is read from its beginning', async () => {
    expect(await ask('metric steady | increase 5m | stats r=sum(value)/window by bucket(5m)', [-480, 75])).toEqual([
      1, 1, 1,
    ]);
    expect(await ask('metric steady | increase | stats r=sum(value)/window by bucket(5m)', [-480, 75])).toEqual([
      1, 1, 1,
    ]);
  });
});
