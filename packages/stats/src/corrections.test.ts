import { describe, expect, it } from 'vitest';
import { benjaminiHochberg, correct, holm } from './corrections.ts';

/** Inputs and results of growthbook, packages/shared/test/experiments.test.ts (MIT license). */
describe('corrections of p-values', () => {
  it('by Holm', () => {
    const found = holm([0.01, 0.04, 0.03, 0.005, 0.55, 0.6]);
    [0.05, 0.12, 0.12, 0.03, 1, 1].forEach((p, i) => {
      expect(found[i]).toBeCloseTo(p, 12);
    });
  });
  it('by Benjamini and Hochberg', () => {
    const found = benjaminiHochberg([0.898, 0.138, 0.007, 0.964, 0.538, 0.006, 0.138]);
    [0.964, 0.2415, 0.0245, 0.964, 0.7532, 0.0245, 0.2415].forEach((p, i) => {
      expect(found[i]).toBeCloseTo(p, 8);
    });
  });
  it('of none, of one, and by no procedure', () => {
    expect([holm([]), benjaminiHochberg([])]).toEqual([[], []]);
    expect([holm([0.2]), benjaminiHochberg([0.2])]).toEqual([[0.2], [0.2]]);
    expect(correct([0.03, 0.01], 'none')).toEqual([0.03, 0.01]);
  });
});
