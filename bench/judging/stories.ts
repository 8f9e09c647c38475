import { RELEASES } from '../../packages/demo/src/setup/judging.ts';
import { playExperiments } from './experiment-stories.ts';
import { playStory, type Story, start } from './release-stories.ts';

const longestMs = 180 * 60_000;

/** How the guarded releases of the demo end without their watch, and what its experiments find, at each rate of visits. */
export function printStories(rounds: number): void {
  const rates = [0.5, 1, 2, 10];
  const seeds = Array.from({ length: rounds }, (_, seed) => seed);
  for (const story of RELEASES)
    for (const rate of rates)
      print(
        story.flag,
        rate,
        seeds.map((seed) => playStory(story, { rate, seed, longestMs })),
      );
  for (const rate of rates) {
    const played = seeds.map((seed) => playExperiments({ start, rate, seed, longestMs }));
    for (const key of new Set(played.flatMap((one) => [...one.keys()])))
      print(
        key,
        rate,
        played.flatMap((one) => one.get(key) ?? []),
      );
  }
}

function print(name: string, rate: number, played: readonly Story[]): void {
  const ends = new Map<string, number[]>();
  for (const { state, minutes } of played) ends.set(state, [...(ends.get(state) ?? []), minutes]);
  const told = [...ends].map(([state, minutes]) => {
    const sorted = minutes.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
    return `${minutes.length} ${state} after ${at(0)} / ${at(0.5)} / ${at(1)} min`;
  });
  console.log(`${name.padEnd(14)} rate ${String(rate).padEnd(4)} ${told.join('; ')}`);
  const open = played.find(({ state }) => state.startsWith('step'));
  if (open !== undefined) console.log(`  ${open.reason}`);
}
