/** Seeded random numbers (mulberry32). */
export interface Random {
  /** Within [0, 1). */
  next(): number;
  chance(share: number): boolean;
  between(low: number, high: number): number;
  /** An integer within [0, below). */
  whole(below: number): number;
  /** An integer within [0, below), of which low ones are more frequent: the weight of n is 1 / (n + 1). */
  zipf(below: number): number;
  pick<T>(of: readonly T[]): T;
  shuffle<T>(of: readonly T[]): T[];
  /** That many different integers within [0, below). */
  subset(below: number, size: number): Set<number>;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const harmonic: number[] = [0];
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (below: number) => Math.floor(next() * below);
  const shuffle = <T>(of: readonly T[]) => {
    const keyed = of.map((one) => [next(), one] as const);
    return keyed.sort(([a], [b]) => a - b).map(([, one]) => one);
  };
  return {
    next,
    chance: (share) => next() < share,
    between: (low, high) => low + (high - low) * next(),
    whole,
    zipf(below) {
      for (let n = harmonic.length; n <= below; n += 1) harmonic.push((harmonic[n - 1] ?? 0) + 1 / n);
      const at = next() * (harmonic[below] ?? 1);
      let n = 0;
      while (n < below - 1 && (harmonic[n + 1] ?? 0) <= at) n += 1;
      return n;
    },
    pick(of) {
      const one = of[whole(of.length)];
      if (one === undefined) throw new RangeError('nothing to pick from');
      return one;
    },
    shuffle,
    subset: (below, size) => new Set(shuffle(Array.from({ length: below }, (_, n) => n)).slice(0, size)),
  };
}
