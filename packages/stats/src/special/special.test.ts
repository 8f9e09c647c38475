import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chiSquareTail } from './chi-square.ts';
import { logGamma } from './gamma.ts';
import { millsRatio, normalCdf, normalCritical, normalDensity, normalTail } from './normal.ts';
import { studentCritical, studentTail } from './student.ts';

/** Values of mpmath with 40 digits (`fixtures/make-reference.py`). */
const reference = JSON.parse(readFileSync(new URL('../../fixtures/reference.json', import.meta.url), 'utf8')) as {
  normalTail: [number, number][];
  studentTail: [number, number, number][];
  chiSquareTail: [number, number, number][];
};
const worst = (errors: number[]) => errors.reduce((most, error) => Math.max(most, error), 0);
const error = (actual: number, expected: number) => Math.abs(actual / expected - 1);

describe('special functions', () => {
  it('agree with mpmath to 1e-12, relative, also in the tails', () => {
    expect(worst(reference.normalTail.map(([z, p]) => error(normalTail(z), p)))).toBeLessThan(1e-12);
    expect(worst(reference.studentTail.map(([t, df, p]) => error(studentTail(t, df), p)))).toBeLessThan(1e-12);
    expect(worst(reference.chiSquareTail.map(([x, df, p]) => error(chiSquareTail(x, df), p)))).toBeLessThan(1e-12);
  });

  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2 and 1.3.6.7.4
  it.each([
    [0.05, 1, 6.314],
    [0.025, 2, 4.303],
    [0.025, 10, 2.228],
    [0.005, 30, 2.75],
    [0.001, 100, 3.174],
  ])('agree with the table of critical values of t: %d, %d', (p, df, t) => {
    expect(studentCritical(p, df)).toBeCloseTo(t, 3);
  });
  it.each([
    [3.841, 1, 0.05],
    [5.991, 2, 0.05],
    [18.307, 10, 0.05],
    [13.277, 4, 0.01],
  ])('agree with the table of critical values of χ²: %d, %d', (x, df, p) => {
    expect(chiSquareTail(x, df)).toBeCloseTo(p, 4);
  });

  it('logGamma is ln of the factorial', () => {
    let factorial = 1;
    for (let n = 1; n < 30; n += 1) {
      expect(logGamma(n)).toBeCloseTo(Math.log(factorial), 11);
      factorial *= n;
    }
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 13);
  });

  it('critical values invert the tails', () => {
    const p = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true });
    const df = fc.double({ min: 1, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(p, df, (probability, degrees) => {
        expect(error(normalTail(normalCritical(probability)), probability)).toBeLessThan(1e-10);
        expect(error(studentTail(studentCritical(probability, degrees), degrees), probability)).toBeLessThan(1e-10);
      }),
    );
  });

  it('Mills’ ratio is that of tail and density', () => {
    for (const z of [0, 0.5, 1.99, 2, 2.01, 5, 20, 35])
      expect(error(millsRatio(z) * normalDensity(z), normalTail(z))).toBeLessThan(1e-12);
    // Far out it is 1 / z, where tail and density have long underflowed
    expect(millsRatio(1e6)).toBeCloseTo(1e-6, 15);
  });

  it('limits: p of 0 and 1, no degrees of freedom, values that are not numbers', () => {
    expect([normalCritical(0), normalCritical(1), studentCritical(0, 5)]).toEqual([Infinity, -Infinity, Infinity]);
    expect([studentTail(1, 0), studentTail(Number.NaN, 3), normalCritical(Number.NaN)]).toEqual([NaN, NaN, NaN]);
    expect([studentTail(1e200, 3), studentTail(0, 3), normalCdf(0)]).toEqual([0, 0.5, 0.5]);
    expect(studentTail(2, Infinity)).toBe(normalTail(2));
  });
});
