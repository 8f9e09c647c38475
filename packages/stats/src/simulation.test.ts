import { describe, expect, it } from 'vitest';
import { fixedPower, sequentialPower } from './power.ts';
import {
  clustered,
  clusteredBefore,
  correlated,
  durations,
  growing,
  normals,
  phased,
  proportions,
  revenue,
  type Series,
} from './testing/draws.ts';
import { simulate, simulateGuards, simulateSplits } from './testing/simulate.ts';
import { releaseWorlds, simulateReleases, simulateWatches } from './testing/simulate-releases.ts';

/** The short form of `bench/stats.ts`, seeded: bounds are five standard errors away from the nominal rates. */
const runs = 300;
const every = (units: number, times: number) => Array.from({ length: times }, () => units);

describe('simulated experiments without an effect', () => {
  it.each<[string, Series]>([
    ['rare conversions', growing(proportions(0.002), [0, 0], every(400, 10))],
    ['conversions', growing(proportions(0.2), [0, 0], every(60, 10))],
    ['heavy tails', growing(revenue(0.05, 1.5), [0, 0], every(100, 10))],
    ['clusters', growing(clustered(0.02), [0, 0], every(60, 10))],
    ['CUPED', growing(correlated(0.7), [0, 0], every(60, 10))],
    ['CUPED of ratios', growing(clusteredBefore(0.05), [0, 0], every(60, 5))],
    ['percentiles', durations(0.9, [0, 0], every(60, 4))],
    [
      'phases with other weights',
      phased(
        [
          { draw: proportions(0.1), perLook: [60, 60], looks: 5 },
          { draw: proportions(0.3), perLook: [30, 120], looks: 5 },
        ],
        [0, 0],
      ),
    ],
  ])('err in at most one of twenty with sequential looks: %s', (_name, series) => {
    const rates = simulate({ series, runs, seed: 7 });
    expect(rates.sequential).toBeLessThanOrEqual(0.05);
    expect(rates.fixed).toBeLessThan(0.05 + 5 * 0.0126);
    expect(rates.coverage).toBeGreaterThan(0.95 - 5 * 0.0126);
    expect(rates.peeked).toBeGreaterThanOrEqual(rates.fixed);
  });
  it('err in at most 5 % of families with three arms', () => {
    expect(
      simulate({ series: growing(proportions(0.1), [0, 0, 0], every(80, 10)), runs, seed: 8 }).sequential,
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

describe('guards of a release', () => {
  const runs = 200;
  it.each(releaseWorlds.map((world) => [world.name, world] as const))('are seldom wrong: %s', (_name, world) => {
    const same = simulateReleases(world, { harm: 0, runs, seed: 21 });
    expect(same.rolledBack).toBeLessThanOrEqual(0.05);
    expect(same.advanced).toBeGreaterThan(0.7);
    expect(simulateReleases(world, { harm: 2, runs, seed: 22 }).advanced).toBeLessThanOrEqual(0.01);
  });
});

describe('guards of a watch, which compare with an earlier time', () => {
  const [errors] = releaseWorlds;
  if (errors === undefined) throw new Error('there are worlds');
  it('find harm far beyond the tolerance, and none in a change as large as the tolerance', () => {
    const found = (change: number) => simulateWatches(errors, { change, runs: 100, seed: 23 });
    expect([found(0), found(1)]).toEqual([0, 0]);
    expect(found(8)).toBeGreaterThan(0.9);
  });
});

describe('simulated power', () => {
  it('is that of the calculator', () => {
    const rates = simulate({ series: growing(normals, [0, 0.1], every(50, 20)), runs, seed: 13, truth: 1 });
    const error = Math.sqrt(200 / 1000);
    expect(Math.abs(rates.fixed - fixedPower(1, error, 0.05))).toBeLessThan(5 * 0.029);
    expect(Math.abs(rates.sequential - sequentialPower(1, error, 2000, 0.05))).toBeLessThan(5 * 0.029);
  });
});
