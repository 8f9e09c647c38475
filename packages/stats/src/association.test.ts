import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cramersV, cramersVOfTwo, fisherGreater, likelihoodRatio, riskDifference } from './association.ts';

/** Results of SciPy 1.17.1 and statsmodels 0.15.0 for random tables (`fixtures/make-association.py`). */
const reference = JSON.parse(readFileSync(new URL('../fixtures/association.json', import.meta.url), 'utf8')) as {
  fisherGreater: [number, number, number, number, number][];
  newcombe: [number, number, number, number, number, number][];
  likelihoodRatio: [number, number, number, number, number][];
  cramersV: [number[][], number][];
};

describe('SciPy and statsmodels', () => {
  it('agree on Fisher’s exact test of 60 tables', () => {
    for (const [n, x, m, y, p] of reference.fisherGreater) {
      const error = Math.abs(fisherGreater({ n, x }, { n: m, x: y }) - p);
      expect(error / Math.max(p, 1e-300), `${x}/${n} and ${y}/${m}`).toBeLessThan(1e-8);
    }
  });

  it('agree on Newcombe’s interval of 60 differences', () => {
    for (const [n, x, m, y, low, high] of reference.newcombe) {
      const { interval } = riskDifference({ n, x }, { n: m, x: y });
      expect(interval[0]).toBeCloseTo(low, 10);
      expect(interval[1]).toBeCloseTo(high, 10);
    }
  });

  it('agree on the likelihood ratio', () => {
    for (const [n, x, m, y, statistic] of reference.likelihoodRatio)
      expect(likelihoodRatio({ n, x }, { n: m, x: y })).toBeCloseTo(statistic, 7);
  });

  it('agree on Cramér’s V with Bergsma’s correction', () => {
    for (const [table, v] of reference.cramersV) expect(cramersV(table)).toBeCloseTo(v, 10);
  });
});

describe('published results', () => {
  it('Newcombe (1998), table II, method 10', () => {
    const cases: [number, number, number, number, number, number][] = [
      [56, 70, 48, 80, 0.0524, 0.3339],
      [9, 10, 3, 10, 0.1705, 0.809],
      [10, 10, 0, 10, 0.6075, 1],
    ];
    for (const [x, n, y, m, low, high] of cases) {
      const { interval } = riskDifference({ n, x }, { n: m, x: y });
      expect(interval[0]).toBeCloseTo(low, 4);
      expect(interval[1]).toBeCloseTo(high, 4);
    }
  });

  it('Fisher’s lady tasting tea: 3 of 4 right has a chance of 17/70', () => {
    expect(fisherGreater({ n: 4, x: 3 }, { n: 4, x: 1 })).toBeCloseTo(17 / 70, 12);
  });
});

describe('Cramér’s V of two rows', () => {
  it('is that of the table', () => {
    const cell = fc.integer({ min: 0, max: 50 });
    const columns = fc.array(
      fc.tuple(cell, cell).filter(([a, b]) => a + b > 0),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(columns, (all) => {
        const sum = (of: (column: readonly [number, number]) => number) =>
          all.reduce((total, column) => total + of(column), 0);
        const sums = {
          a: sum(([a]) => a),
          b: sum(([, b]) => b),
          columns: all.length,
          squares: sum(([a, b]) => a ** 2 / (a + b)),
        };
        expect(cramersVOfTwo(sums)).toBeCloseTo(cramersV([all.map(([a]) => a), all.map(([, b]) => b)]), 6);
      }),
    );
  });
});

describe('limits', () => {
  it('V is 0 for less than 2 × 2 and 1 for a one-to-one table', () => {
    expect(cramersV([])).toBe(0);
    expect(cramersV([[5, 5]])).toBe(0);
    expect(
      cramersV([
        [50, 0],
        [0, 50],
      ]),
    ).toBeCloseTo(1, 12);
  });

  it('an extreme table has a tail within 0 and 1', () => {
    expect(fisherGreater({ n: 20_000, x: 20_000 }, { n: 20_000, x: 0 })).toBeGreaterThanOrEqual(0);
    expect(fisherGreater({ n: 20_000, x: 1 }, { n: 20_000, x: 19_999 })).toBe(1);
    expect(fisherGreater({ n: 0, x: 0 }, { n: 0, x: 0 })).toBe(1);
  });

  it('both one-sided tests of a table overlap in its own probability', () => {
    const counts = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 })).map(([n, x]) => ({
      n,
      x: Math.min(n, x),
    }));
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        expect(fisherGreater(a, b) + fisherGreater(b, a)).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(riskDifference(a, b).value).toBeCloseTo(-riskDifference(b, a).value, 12);
      }),
    );
  });
});
