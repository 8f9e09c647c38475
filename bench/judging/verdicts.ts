import { releaseWorlds, simulateReleases } from '../../packages/stats/src/testing/simulate-releases.ts';

/** True harms, as multiples of the tolerance. */
const harms = [0, 0.5, 1, 2] as const;

/** How often a release is passed and rolled back by the first verdict of its guard, for harms that are known. */
export function printVerdicts(runs: number): void {
  console.log(`${runs} runs each: passed, rolled back and undecided, in %, by the true harm in tolerances`);
  console.log(`${''.padEnd(50)} ${harms.map((harm) => `${harm}×`.padStart(22)).join('')}`);
  for (const world of releaseWorlds) {
    const shares = harms.map((harm) => {
      const { advanced, rolledBack, undecided } = simulateReleases(world, { harm, runs, seed: 1 });
      return [advanced, rolledBack, undecided].map((share) => (100 * share).toFixed(2).padStart(7)).join('');
    });
    console.log(`${world.name.padEnd(50)} ${shares.map((share) => share.padStart(22)).join('')}`);
  }
}
