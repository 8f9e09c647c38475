import { describe, expect, it } from 'vitest';
import { fixedTest } from './fixed.ts';
import type { AdjustedSample, RatioSample } from './sample.ts';
import { addSamples } from './sample.ts';
import { type StratumPair, stratifiedEffects } from './stratify.ts';
import { normal, seeded } from './testing/draws.ts';

const proportion = (n: number, x: number) => ({ kind: 'proportion', n, x }) as const;

/** Values of units that have one row each, so that a mean by row is a ratio by 1. */
const oneRowEach = (n: number, mean: number): RatioSample => {
  const x = n * mean;
  return { kind: 'ratio', n, x, xx: n * (mean * mean + 4), y: n, yy: n, xy: x };
};
/** Units with values that follow those from before, or without any before. */
function adjusted(seed: number, n: number, options: { at?: number; before?: boolean; sd?: number }): AdjustedSample {
  const { at = 0, before = true, sd = 1 } = options;
  const random = seeded(seed);
  const sums = { n, x: 0, xx: 0, b: 0, bb: 0, xb: 0 };
  for (let i = 0; i < n; i += 1) {
    const own = before ? 3 * normal(random) : 0;
    const value = at + own + sd * normal(random);
    sums.x += value;
    sums.xx += value * value;
    sums.b += own;
    sums.bb += own * own;
    sums.xb += value * own;
  }
  return { kind: 'adjusted', ...sums };
}
function found(pairs: readonly StratumPair[]) {
  const result = stratifiedEffects(pairs);
  if (result === undefined) throw new Error('no effects');
  return result.absolute;
}

describe('strata', () => {
  // The second stratum has other values, and gives most of its units the treatment: together they would show an effect
  it('are kept where all units have one row', () => {
    const pairs = [
      { control: oneRowEach(1000, 10), treatment: oneRowEach(1000, 10) },
      { control: oneRowEach(200, 30), treatment: oneRowEach(1800, 30) },
    ];
    expect(found(pairs).difference).toBeCloseTo(0, 12);
    expect(found(pairs).standardError).toBeGreaterThan(0);
  });
  it('are kept where an arm has no event yet', () => {
    const pairs = [
      { control: proportion(1000, 0), treatment: proportion(200, 0) },
      { control: proportion(200, 60), treatment: proportion(1000, 300) },
    ];
    expect(found(pairs).difference).toBeCloseTo(0, 12);
    const [quiet, rare] = [proportion(1000, 0), proportion(200, 1)];
    const { difference, standardError } = found([{ control: quiet, treatment: rare }, ...pairs.slice(1)]);
    expect(difference).toBeGreaterThan(0);
    // The arm without an event borrows the variance of both: its rate is not known to be 0
    expect(standardError).toBeGreaterThan(found(pairs).standardError);
  });
  it('take values from before into account where they have some', () => {
    const none = (seed: number, n: number) => adjusted(seed, n, { at: 5, before: false });
    const pairs = [
      { control: adjusted(1, 400, {}), treatment: adjusted(2, 400, {}) },
      { control: none(3, 400), treatment: none(4, 400) },
      // As when a day's values from before were lost for one arm
      { control: adjusted(5, 400, {}), treatment: { ...adjusted(6, 400, {}), b: 0, bb: 0, xb: 0 } },
    ];
    const withBefore = found(pairs.slice(0, 2));
    const without = found(
      pairs.slice(0, 2).map(({ control, treatment }) => {
        const plain = ({ n, x, xx }: AdjustedSample) => ({ kind: 'mean', n, x, xx }) as const;
        return { control: plain(control), treatment: plain(treatment) };
      }),
    );
    expect(withBefore.standardError).toBeLessThan(0.5 * without.standardError);
    expect(Math.abs(withBefore.difference)).toBeLessThan(4 * withBefore.standardError);
    expect(found(pairs).standardError).toBeGreaterThan(0);
  });
  it('cover the true difference, also where the smaller arm varies more', () => {
    // Seeded; with one variance for both arms the interval holds the truth in two of three runs only
    const runs = 400;
    let held = 0;
    for (let run = 0; run < runs; run += 1) {
      const at = (seed: number, n: number, value: number, sd: number) =>
        adjusted(10_000 + 10 * run + seed, n, { at: value, sd });
      const pairs = [
        { control: at(1, 180, 0, 1), treatment: at(2, 20, 1, 3) },
        { control: at(3, 360, 8, 1), treatment: at(4, 40, 9, 3) },
      ];
      const [low, high] = fixedTest(found(pairs), 0.05).interval;
      if (low <= 1 && 1 <= high) held += 1;
    }
    expect(held / runs).toBeGreaterThan(0.95 - 5 * Math.sqrt((0.95 * 0.05) / runs));
  });
  it('without units in an arm join the largest', () => {
    const pairs = [
      { control: proportion(1000, 100), treatment: proportion(1000, 120) },
      { control: proportion(0, 0), treatment: proportion(3, 1) },
    ];
    const joined = { control: proportion(1000, 100), treatment: addSamples(proportion(1000, 120), proportion(3, 1)) };
    expect(found(pairs)).toEqual(found([joined]));
    expect(stratifiedEffects([])).toBeUndefined();
  });
});
