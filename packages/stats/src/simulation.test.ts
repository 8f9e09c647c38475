import { describe, expect, it } from 'vitest';
import { fixedPower, sequentialPower } from './power.ts';
import { clustered, correlated, type Draw, normals, proportions, revenue } from './testing/draws.ts';
import { simulate, simulateGuards, simulateSplits } from './testing/simulate.ts';

/** The short form of `bench/stats.ts`, seeded: bounds are five standard errors away from the nominal rates. */
const runs = 300;
const every = (units: number, times: number) => Array.from({ length: times }, () => units);

describe('simulated experiments without an effect', () => {
  it.each<[string, Draw, number]>([
    ['rare conversions', proportions(0.002), 400],
    ['conversions', proportions(0.2), 60],
    ['heavy tails', revenue(0.05, 1.5), 100],
    ['clusters', clustered(0.02), 60],
    ['CUPED', correlated(0.7), 60],
  ])('err in at most 5 %% with 10 sequential looks: %s', (_name, draw, units) => {
    const rates = simulate({ draw, lifts: [0, 0], perLook: every(units, 10), runs, seed: 7 });
    expect(rates.sequential).toBeLessThanOrEqual(0.05);
    expect(rates.fixed).toBeLessThan(0.05 + 5 * 0.0126);
    expect(rates.coverage).toBeGreaterThan(0.95 - 5 * 0.0126);
    expect(rates.peeked).toBeGreaterThanOrEqual(rates.fixed);
  });
  it('err in at most 5 % of families with three arms', () => {
    expect(
      simulate({ draw: proportions(0.1), lifts: [0, 0, 0], perLook: every(80, 10), runs, seed: 8 }).sequential,
    ).toBeLessThanOrEqual(0.05);
  });
  it('raise no alarm about their split in more than 1 %, and find one that is wrong', () => {
    expect(simulateSplits({ weights: [1, 1], perLook: every(200, 20), runs, seed: 9 })).toBeLessThanOrEqual(0.01);
    expect(
      simulateSplits({ weights: [1, 1], actual: [55, 45], perLook: every(200, 20), runs: 50, seed: 10 }),
    ).toBeGreaterThan(0.9);
  });
  it('roll back in at most 5 %, and catch a regression from 2 % to 5 %', () => {
    expect(
      simulateGuards({ rates: [0.02, 0.02], guards: 2, perLook: every(100, 10), runs, seed: 11 }),
    ).toBeLessThanOrEqual(0.05);
    expect(
      simulateGuards({ rates: [0.02, 0.05], guards: 1, perLook: every(100, 20), runs: 50, seed: 12 }),
    ).toBeGreaterThan(0.9);
  });
});

describe('simulated power', () => {
  it('is that of the calculator', () => {
    const rates = simulate({ draw: normals, lifts: [0, 0.1], perLook: every(50, 20), runs, seed: 13, truth: 1 });
    const error = Math.sqrt(200 / 1000);
    expect(Math.abs(rates.fixed - fixedPower(1, error, 0.05))).toBeLessThan(5 * 0.029);
    expect(Math.abs(rates.sequential - sequentialPower(1, error, 2000, 0.05))).toBeLessThan(5 * 0.029);
  });
});
