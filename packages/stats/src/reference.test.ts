import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { benjaminiHochberg, holm } from './corrections.ts';
import { effects } from './effect.ts';
import { fixedTest } from './fixed.ts';
import { fixedPower } from './power.ts';
import { sampleRatio } from './sample-ratio.ts';

/** Results of SciPy 1.17.1 and statsmodels 0.15.0 for random inputs (`fixtures/make-reference.py`). */
const reference = JSON.parse(readFileSync(new URL('../fixtures/reference.json', import.meta.url), 'utf8')) as {
  welch: number[][];
  corrections: { p: number[]; holm: number[]; bh: number[] }[];
  power: [number, number, number, number][];
  chiSquareTest: [number[], number[], number][];
};
/** The largest error, relative to the value or, near 0, to `scale`. */
const apart = (actual: number, expected: number, scale = 0) =>
  Math.abs(actual - expected) / Math.max(Math.abs(expected), scale);

describe('SciPy and statsmodels', () => {
  it('agree on Welch’s test of 1,000 random pairs of samples, on both sides and on one', () => {
    let worst = 0;
    for (const row of reference.welch) {
      const [n = 0, x = 0, xx = 0, m = 0, y = 0, yy = 0, alpha = 0, ...expected] = row;
      const [df = 0, p = 0, low = 0, high = 0, greater = 0, bound = 0] = expected;
      const result = effects({ kind: 'mean', n, x, xx }, { kind: 'mean', n: m, x: y, xx: yy });
      if (result === undefined) throw new Error(`no effects of ${row.join(', ')}`);
      const { interval, pValue } = fixedTest(result.absolute, alpha);
      const oneSided = fixedTest(result.absolute, alpha, 'greater');
      worst = Math.max(
        worst,
        apart(result.absolute.df, df),
        apart(pValue, p),
        apart(interval[0], low, high - low),
        apart(interval[1], high, high - low),
        apart(oneSided.pValue, greater),
        apart(oneSided.interval[0], bound, high - low),
      );
    }
    expect(reference.welch).toHaveLength(1000);
    expect(worst).toBeLessThan(1e-11);
  });
  it('agree on Holm’s and Benjamini and Hochberg’s corrections', () => {
    for (const row of reference.corrections) {
      holm(row.p).forEach((p, i) => {
        expect(p).toBeCloseTo(row.holm[i] ?? -1, 12);
      });
      benjaminiHochberg(row.p).forEach((p, i) => {
        expect(p).toBeCloseTo(row.bh[i] ?? -1, 12);
      });
    }
  });
  it('agree on the power of a fixed test', () => {
    for (const [effect, n, alpha, power] of reference.power)
      expect(fixedPower(effect, Math.sqrt(2 / n), alpha)).toBeCloseTo(power, 10);
  });
  it('agree on the χ² test of a split', () => {
    for (const [observed, weights, p] of reference.chiSquareTest)
      expect(sampleRatio(observed, weights).chiSquare).toBeCloseTo(p, 10);
  });
});
