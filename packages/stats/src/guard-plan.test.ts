import { describe, expect, it } from 'vitest';
import { judgeGuard } from './guard.ts';
import { type GuardPlan, smallestRegression, unitsToClear, unitsToDetect } from './guard-plan.ts';
import type { Sample } from './sample.ts';
import { type Draw, normals, proportions, seeded } from './testing/draws.ts';

const proportion = (n: number, x: number): Sample => ({ kind: 'proportion', n, x });
/** Errors of traces with three requests each. */
const requests = (n: number, errors: number): Sample => ({
  kind: 'ratio',
  n,
  x: errors,
  xx: errors,
  y: 3 * n,
  yy: 9 * n,
  xy: 3 * errors,
});

/** The share of arms of this size that a guard gives the verdict. `lift` is what the draw takes. */
function shareOf(verdict: string, { draw, lift, units, plan }: Case): number {
  const random = seeded(11);
  const times = 400;
  let found = 0;
  for (let i = 0; i < times; i++) {
    const control = draw(random, Math.round(units * (plan.ratio ?? 1)), 0);
    const treatment = draw(random, units, lift);
    if (judgeGuard({ ...plan, control, treatment }).verdict === verdict) found++;
  }
  return found / times;
}
interface Case {
  readonly draw: Draw;
  readonly lift: number;
  readonly units: number;
  readonly plan: GuardPlan;
}

const errors: GuardPlan = { direction: 'down_is_good', tolerance: 0.02, guards: 2 };
const past = proportion(10_000, 200);
// 400 draws: 80 % ± 10 points is five standard errors.
const [least, most] = [0.7, 0.9];

describe('the units that a plan tells', () => {
  it.each<[string, GuardPlan]>([
    ['arms of the same size', errors],
    ['a control of a quarter', { ...errors, ratio: 0.25 }],
    ['a relative tolerance', { ...errors, tolerance: 1, scale: 'relative' }],
  ])('find twice the tolerance, and clear none, with a chance of about 80 %%: %s', (_name, plan) => {
    const [draw, harm] = [proportions(0.02), 0.04];
    const found = unitsToDetect(past, harm, plan) ?? 0;
    const harmful = shareOf('harm', { draw, lift: 2, units: found, plan });
    expect(harmful).toBeGreaterThan(least);
    expect(harmful).toBeLessThan(most);
    const cleared = unitsToClear(past, plan) ?? 0;
    const harmless = shareOf('no_harm', { draw, lift: 0, units: cleared, plan });
    expect(harmless).toBeGreaterThan(least);
    expect(harmless).toBeLessThan(most);
  });

  it('hold for means', () => {
    const plan: GuardPlan = { direction: 'down_is_good', tolerance: 1 };
    const sample = normals(seeded(3), 5_000, 0);
    const found = unitsToDetect(sample, 2, plan) ?? 0;
    const share = shareOf('harm', { draw: normals, lift: 0.2, units: found, plan });
    expect(share).toBeGreaterThan(least);
    expect(share).toBeLessThan(most);
  });

  it('are known for a rate that was zero, of units and of their requests', () => {
    for (const none of [proportion(1_000, 0), requests(1_000, 0)]) {
      const found = unitsToDetect(none, 0.04, errors) ?? 0;
      expect(found).toBeGreaterThan(20);
      expect(found).toBeLessThan(3_000);
      expect(unitsToClear(none, errors)).toBeGreaterThan(20);
    }
  });

  it.each<[string, number | undefined]>([
    ['a harm that is tolerated', unitsToDetect(past, 0.02, errors)],
    ['a mean that did not vary', unitsToDetect({ kind: 'mean', n: 10, x: 10, xx: 10 }, 1, errors)],
    ['a tolerance of nothing', unitsToClear(past, { ...errors, tolerance: 0 })],
    ['a part of zero', unitsToClear(proportion(100, 0), { ...errors, scale: 'relative' })],
  ])('are not known for %s', (_name, units) => {
    expect(units).toBeUndefined();
  });
});

describe('the smallest regression of a guard', () => {
  const sample = proportion(10_000, 1_000);
  const plan: GuardPlan = { direction: 'down_is_good', tolerance: 0.01, guards: 2 };
  const of = (units: number, ratio = 1) => smallestRegression(sample, units, { ...plan, ratio }) ?? 0;

  it('shrinks with more units of either arm, and is one that the guard finds', () => {
    expect(of(10_000)).toBeLessThan(of(1_000));
    expect(of(10_000)).toBeLessThan(of(10_000, 0.25));
    expect(of(10_000)).toBeGreaterThan(0.01);
    const n = 10_000;
    const treatment = proportion(n, Math.round(n * (0.1 + 1.1 * of(n))));
    expect(judgeGuard({ ...plan, control: proportion(n, 1_000), treatment }).verdict).toBe('harm');
  });

  it('is what its units detect', () => {
    // The variance is taken at the harm there, and at the past here.
    expect((unitsToDetect(sample, of(10_000), plan) ?? 0) / 10_000).toBeCloseTo(1.1, 1);
  });

  it('is not known where nothing varied', () => {
    expect(smallestRegression(proportion(10, 0), 100, plan)).toBeUndefined();
  });
});
