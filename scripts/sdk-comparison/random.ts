/** Random choices that are the same in every run of one seed (mulberry32). */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** Whether something with this probability happens. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Between 1 and `most` different items. */
  some<T>(items: readonly T[], most: number): T[];
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  return {
    below,
    chance: (probability) => next() < probability,
    pick,
    some: (items, most) => [...new Set(Array.from({ length: 1 + below(most) }, () => pick(items)))],
  };
}
