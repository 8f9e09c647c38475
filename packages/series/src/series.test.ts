import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Counter,
  columnOf,
  Groups,
  type Growth,
  growth,
  lastValue,
  prometheusRate,
  type Rate,
  type Steps,
  spanOf,
  UNKNOWN_START,
} from './index.ts';

type Sample = readonly [seconds: number, value: number, start?: number];

function samples(of: readonly Sample[]): Counter {
  return {
    count: of.length,
    times: Float64Array.from(of, ([at]) => at * 1000),
    values: Float64Array.from(of, ([, value]) => value),
    starts: Float64Array.from(of, ([, , start]) => (start === undefined ? UNKNOWN_START : start * 1000)),
  };
}

const wholeOf = ({ count }: Counter) => ({ begin: 0, end: count });

function listed({ values, has }: ReturnType<typeof columnOf>): (number | null)[] {
  return Array.from(values, (value, i) => (has[i] === 1 ? value : null));
}

function rates(of: readonly Sample[], rate: Rate, steps: Steps) {
  const [column, counter] = [columnOf(steps.count), samples(of)];
  prometheusRate(counter, wholeOf(counter), rate, steps, column);
  return listed(column);
}

function grown(of: readonly Sample[], how: Growth, steps: Steps) {
  const [column, counter] = [columnOf(steps.count), samples(of)];
  growth(counter, wholeOf(counter), how, steps, column);
  return listed(column);
}

/** Every five minutes, as `load 5m` in Prometheus' tests. */
const every5m = (...values: readonly number[]): Sample[] => values.map((value, i) => [i * 300, value]);
const at = (minutes: number): Steps => ({ firstMs: minutes * 60_000, stepMs: 60_000, count: 1 });

describe('the rate of Prometheus', () => {
  // https://github.com/prometheus/prometheus/blob/main/promql/promqltest/testdata/functions.test
  it.each([
    ['increase of a steady counter', every5m(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100), 50, 50, 100],
    ['increase with a reset', every5m(0, 18, 36, 54, 72, 90, 0, 18, 36, 54, 72), 50, 50, 160],
    ['increase past the first sample', every5m(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110), 100, 50, 105],
    ['increase back to zero at most', every5m(1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 101), 100, 50, 101],
    ['increase with a decrease by one', every5m(0, 1, 2, 3, 2, 3, 4), 30, 30, 7],
  ])('%s', (_, of, overMinutes, minute, expected) => {
    const [value] = rates(of, { overMs: overMinutes * 60_000, perSecond: false }, at(minute));
    expect(value).toBeCloseTo(expected, 9);
  });

  it('excludes the beginning of a range, includes its end, and needs two samples', () => {
    const steps = { firstMs: 60_000, stepMs: 30_000, count: 3 };
    const of: Sample[] = [
      [0, 500],
      [30, 1_030],
      [60, 1_060],
      [90, 1_090],
    ];
    expect(rates(of, { overMs: 60_000, perSecond: true }, steps)).toEqual([1, 1, null]);
  });

  it('forgets what was lost before the range', () => {
    const of = [...every5m(0, 1e15, 0), ...every5m(0, 30, 60).map(([s, v]): Sample => [s + 900, v])];
    const [value] = rates(of, { overMs: 900_000, perSecond: false }, at(25));
    expect(value).toBe(60);
  });
});

describe('the growth of OQL', () => {
  const minutes: Steps = { firstMs: 0, stepMs: 60_000, count: 2 };
  const increase: Growth = { fn: 'increase', overMs: 60_000, fromMs: 0 };

  it('compares with the sample before the range and extrapolates nothing', () => {
    const of: Sample[] = [
      [-10, 100],
      [10, 107],
      [70, 110],
    ];
    expect(grown(of, increase, minutes)).toEqual([7, 3]);
    expect(grown(of, { ...increase, fn: 'rate' }, minutes)).toEqual([7 / 60, 3 / 60]);
  });

  it.each<[string, Sample[], number]>([
    [
      'all of a lower value',
      [
        [-1, 100],
        [10, 3],
      ],
      3,
    ],
    [
      'all of a value with a later start',
      [
        [-1, 100, -900],
        [10, 120, 5],
      ],
      120,
    ],
    [
      'all of the first value of a series that began in the range',
      [
        [10, 5, 5],
        [20, 6, 5],
      ],
      6,
    ],
    [
      'nothing of the first value of a series that began before',
      [
        [10, 5, -5],
        [20, 6, -5],
      ],
      1,
    ],
  ])('counts %s', (_, of, expected) => {
    expect(grown(of, increase, { ...minutes, count: 1 })).toEqual([expected]);
  });

  it('subtracts what a gauge lost', () => {
    const of: Sample[] = [
      [-10, 9],
      [10, 4],
    ];
    expect(grown(of, { ...increase, fn: 'delta' }, minutes)).toEqual([-5, null]);
  });

  it('counts in the last bucket what is in the range of its early end', () => {
    const of: Sample[] = [
      [-1, 0],
      [30, 1],
      [50, 3],
      [70, 7],
    ];
    // Evaluated at 90 s, over a minute: from 30 s on.
    expect(grown(of, { ...increase, cutMs: 30_000 }, minutes)).toEqual([3, 7]);
  });

  const counter = fc.array(
    fc.record({ gap: fc.integer({ min: 1, max: 90 }), value: fc.integer({ min: 0, max: 1e6 }), starts: fc.boolean() }),
    { minLength: 1, maxLength: 80 },
  );
  it('adds up to the same in buckets of any length', () => {
    fc.assert(
      fc.property(counter, fc.constantFrom(7_000, 30_000, 60_000, 3_600_000), (of, stepMs) => {
        let [now, start] = [-60, -900];
        const all = of.map(({ gap, value, starts }): Sample => {
          now += gap;
          if (starts) start = now;
          return [now, value, start];
        });
        const total = (step: number) =>
          grown(all, { fn: 'increase', overMs: step, fromMs: 0 }, { firstMs: 0, stepMs: step, count: 8e6 / step + 1 })
            .map((value) => value ?? 0)
            .reduce((sum, value) => sum + value, 0);
        expect(total(stepMs)).toBe(total(8_000_000));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the last value', () => {
  const minute: Steps = { firstMs: 0, stepMs: 60_000, count: 5 };

  function last(of: readonly Sample[], ended: readonly number[], lookbackMs: number) {
    const column = columnOf(minute.count);
    lastValue(samples(of), Uint8Array.from(ended), lookbackMs, minute, column);
    return listed(column);
  }

  it('is that of the last sample of the look-back, which excludes its beginning', () => {
    const of: Sample[] = [
      [0, 1],
      [60, 2],
    ];
    expect(last(of, [0, 0], 120_000)).toEqual([1, 2, 2, null, null]);
  });

  it('is none after a marker that the series has ended, until there is another sample', () => {
    const of: Sample[] = [
      [0, 1],
      [30, 0],
      [120, 3],
    ];
    expect(last(of, [0, 1, 0], 300_000)).toEqual([1, null, 3, 3, 3]);
  });

  it('is what a search through all samples finds', () => {
    const all = fc.uniqueArray(fc.record({ at: fc.integer({ min: -400, max: 400 }), ended: fc.boolean() }), {
      selector: ({ at }) => at,
    });
    fc.assert(
      fc.property(all, fc.integer({ min: 1, max: 300 }), (unsorted, lookback) => {
        const sorted = [...unsorted].sort((a, b) => a.at - b.at);
        const expected = [0, 60, 120, 180, 240].map((now) => {
          const found = sorted.filter(({ at }) => at <= now && at > now - lookback).at(-1);
          return found === undefined || found.ended ? null : found.at;
        });
        const of = sorted.map(({ at }): Sample => [at, at]);
        expect(
          last(
            of,
            sorted.map(({ ended }) => Number(ended)),
            lookback * 1000,
          ),
        ).toEqual(expected);
      }),
    );
  });
});

describe('groups', () => {
  function added(values: readonly number[]): Groups {
    const groups = new Groups(1, { sums: true, extremes: true });
    groups.makeRoom(1);
    for (const value of values) groups.addColumn(0, { values: Float64Array.of(value), has: Uint8Array.of(1) });
    return groups;
  }

  it('keep the digits that a plain sum loses', () => {
    expect(added([1, 1e100, 1, -1e100]).sum(0, 0)).toBe(2);
  });

  it('add infinities, and find the extremes of numbers beside NaN', () => {
    expect(added([1, Number.POSITIVE_INFINITY]).sum(0, 0)).toBe(Number.POSITIVE_INFINITY);
    const some = added([Number.NaN, 2, 0, Number.NaN]);
    expect([some.least(0, 0), some.largest(0, 0), some.count(0, 0)]).toEqual([0, 2, 4]);
    expect(added([Number.NaN]).least(0, 0)).toBeNaN();
  });

  it('count each sample in the bucket that it is in', () => {
    const groups = new Groups(2, { sums: true, extremes: false });
    groups.makeRoom(1);
    const counter = samples([
      [0, 1],
      [59.999, 2],
      [60, 4],
    ]);
    groups.addSamples(0, counter, spanOf(counter, 0, 120_000), { firstMs: 0, stepMs: 60_000, count: 2 });
    expect([groups.sum(0, 0), groups.sum(0, 1)]).toEqual([3, 4]);
  });
});
