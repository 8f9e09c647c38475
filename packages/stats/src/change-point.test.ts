import { describe, expect, it } from 'vitest';
import { changePoint, maximalTail } from './change-point.ts';
import { chiSquareTail } from './special/chi-square.ts';
import { seeded } from './testing/draws.ts';

describe('change points', () => {
  /** Altman, Lausen, Sauerbrei, Schumacher (1994) give p ≈ −1.63 p (1 + 2.35 ln p) for ε = 10 %, −3.13 p (1 + 1.65 ln p) for 5 %. */
  it('corrects the smallest p-value as published', () => {
    for (const u of [8, 10, 12, 15]) {
      const p = chiSquareTail(u, 1);
      expect(maximalTail(u, 0.1) / (-1.63 * p * (1 + 2.35 * Math.log(p)))).toBeCloseTo(1, 1);
      expect(maximalTail(u, 0.05) / (-3.13 * p * (1 + 1.65 * Math.log(p)))).toBeCloseTo(1, 1);
    }
  });

  it('finds a change within its interval in at least 90 % of series, at a confidence of 95 %', () => {
    const random = seeded(7);
    let within = 0;
    for (let run = 0; run < 300; run += 1) {
      const change = 300 + Math.floor(random() * 400);
      const found = changePoint(
        Array.from({ length: 1000 }, (_, n) => (random() < (n < change ? 0.02 : 0.15) ? 1 : 0)),
      );
      if (found !== undefined && found.interval[0] <= change && change <= found.interval[1]) within += 1;
    }
    expect(within).toBeGreaterThanOrEqual(270);
  });

  it('reports a change in at most 2 % of steady series at 0.01', () => {
    const random = seeded(11);
    let found = 0;
    for (let run = 0; run < 500; run += 1) {
      const series = Array.from({ length: 400 }, () => (random() < 0.1 ? 1 : 0));
      if ((changePoint(series)?.pValue ?? 1) < 0.01) found += 1;
    }
    expect(found).toBeLessThanOrEqual(10);
  });

  it('has none in a short or constant series', () => {
    expect(changePoint([0, 1, 0, 1])).toBeUndefined();
    expect(changePoint(new Uint8Array(100))).toBeUndefined();
  });

  it('finds a clean step exactly', () => {
    const found = changePoint(Array.from({ length: 100 }, (_, n) => (n < 60 ? 0 : 1)));
    expect(found).toMatchObject({ at: 60, before: 0, after: 1 });
    expect(found?.interval[0]).toBeGreaterThanOrEqual(57);
  });
});
