import { judgeGuard } from '../guard.ts';
import { judgeBefore } from '../guard-before.ts';
import type { SummableSample } from '../sample.ts';
import { addSamples } from '../sample.ts';
import { clustered, type Draw, normals, proportions, type Random, seeded } from './draws.ts';

/** A release of one guard that is looked at until it decides. */
export interface ReleaseWorld {
  readonly name: string;
  readonly tolerance: number;
  readonly direction: 'up_is_good' | 'down_is_good';
  /** New units of an arm at a look; `harm` is how much worse the variant is, in units of the metric. */
  readonly draw: (random: Random, n: number, harm: number, look: number) => SummableSample;
  /** New units of each arm at each look. */
  readonly perLook: number;
  readonly looks: number;
}

const lifted =
  (draw: Draw, base: number, sign = 1) =>
  (random: Random, n: number, harm: number): SummableSample =>
    draw(random, n, (sign * harm) / base);

/** Errors without a base: nothing fails in the control. */
const fromZero = (random: Random, n: number, harm: number) => proportions(1)(random, n, harm - 1);

export const releaseWorlds: readonly ReleaseWorld[] = [
  ...(
    [
      ['errors by unit, 1 %', 0.01, 'down_is_good', lifted(proportions(0.01), 0.01), 50, 200],
      ['errors from nothing', 0.01, 'down_is_good', fromZero, 50, 200],
      ['errors by request, in clusters', 0.01, 'down_is_good', lifted(clustered(0.02), 0.02), 50, 200],
      ['latency', 0.5, 'down_is_good', lifted(normals, 10), 50, 200],
      ['conversion, 10 %', 0.02, 'up_is_good', lifted(proportions(0.1), 0.1, -1), 50, 200],
      ['small traffic', 0.05, 'down_is_good', lifted(proportions(0.02), 0.02), 5, 200],
    ] as const
  ).map(([name, tolerance, direction, draw, perLook, looks]) => ({ name, tolerance, direction, draw, perLook, looks })),
  {
    name: 'errors that drift in both arms from 0.5 to 2.5 %',
    tolerance: 0.01,
    direction: 'down_is_good',
    perLook: 50,
    looks: 200,
    draw(random, n, harm, look) {
      const base = 0.005 + (0.02 * look) / 200;
      return proportions(base)(random, n, harm / base);
    },
  },
  {
    name: 'a variant without data',
    tolerance: 0.01,
    direction: 'down_is_good',
    perLook: 50,
    looks: 50,
    draw: (random, n, harm) => proportions(0.01)(random, harm > 0 ? 0 : n, 0),
  },
];

export interface Outcomes {
  readonly advanced: number;
  readonly rolledBack: number;
  readonly undecided: number;
}

/**
 * Shares of the runs by the first verdict that decides, with a look after every few units and no hold: the worst case for a false `no_harm`.
 *
 * @param harm how much worse the variant truly is, as a multiple of the tolerance
 */
export function simulateReleases(
  world: ReleaseWorld,
  { harm, runs, seed, minUnits = 100 }: { harm: number; runs: number; seed: number; minUnits?: number },
): Outcomes {
  const random = seeded(seed);
  const count = { harm: 0, no_harm: 0, not_sure: 0 };
  const { direction, tolerance, perLook, looks, draw } = world;
  for (let run = 0; run < runs; run += 1) {
    let [control, treatment]: (SummableSample | undefined)[] = [];
    let verdict: keyof typeof count = 'not_sure';
    for (let look = 0; look < looks && verdict === 'not_sure'; look += 1) {
      const [a, b] = [draw(random, perLook, 0, look), draw(random, perLook, harm * tolerance, look)];
      control = control === undefined ? a : addSamples(control, a);
      treatment = treatment === undefined ? b : addSamples(treatment, b);
      ({ verdict } = judgeGuard({ control, treatment, direction, tolerance, minUnits }));
    }
    count[verdict] += 1;
  }
  return { advanced: count.no_harm / runs, rolledBack: count.harm / runs, undecided: count.not_sure / runs };
}

/**
 * The share of watches in which the guard finds harm: the control was measured before, and everybody has the variant now.
 *
 * @param change how much the metric has changed since then, for whatever reason, as a multiple of the tolerance
 */
export function simulateWatches(
  { direction, tolerance, perLook, looks, draw }: ReleaseWorld,
  { change, runs, seed, minUnits = 100 }: { change: number; runs: number; seed: number; minUnits?: number },
): number {
  const random = seeded(seed);
  let found = 0;
  for (let run = 0; run < runs; run += 1) {
    const control = draw(random, perLook * 20, 0, 0);
    let treatment: SummableSample | undefined;
    for (let look = 0; look < looks; look += 1) {
      const next = draw(random, perLook, change * tolerance, 0);
      treatment = treatment === undefined ? next : addSamples(treatment, next);
      if (judgeBefore({ control, treatment, direction, tolerance, minUnits }).verdict !== 'harm') continue;
      found += 1;
      break;
    }
  }
  return found / runs;
}
