/** A reproducible source of random values: the same key gives the same sequence on every machine. */
export interface Random {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in [0, below). */
  integer(below: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One element, uniformly; throws a RangeError on an empty list. */
  pick<T>(list: readonly T[]): T;
  /** One element, with a probability in proportion to its weight. */
  weighted<T>(choices: readonly (readonly [item: T, weight: number])[]): T;
  /** Log-normal around `median`; `sigma` is the standard deviation of the logarithm. The usual shape of latencies. */
  logNormal(median: number, sigma: number): number;
  /** Exponential with the given mean. */
  exponential(mean: number): number;
  /** The number of arrivals in an interval that expects `mean` of them. */
  poisson(mean: number): number;
  /** `bytes` random bytes as lower-case hexadecimal. */
  hex(bytes: number): string;
}

/**
 * Creates a generator from a key such as `(seed, slot, index)`. Every visit gets a generator of its own, so that a
 * change in how one visit draws leaves all others as they were.
 */
export function createRandom(...key: readonly (string | number)[]): Random {
  const word = sfc32(hash128(key.join('\u0000')));
  const next = () => word() / 2 ** 32;
  const random: Random = {
    next,
    integer: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick(list) {
      const item = list[random.integer(list.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    weighted(choices) {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [item, weight] of choices) {
        left -= weight;
        if (left < 0) return item;
      }
      // Rounding can leave a rest of about 1e-16: it belongs to the last choice.
      const last = choices.at(-1);
      if (last === undefined) throw new RangeError('nothing to choose from');
      return last[0];
    },
    logNormal: (median, sigma) => median * Math.exp(sigma * normal(next)),
    exponential: (mean) => -mean * Math.log(1 - next()),
    poisson(mean) {
      // Knuth's method needs exp(-mean) > 0; above that the normal approximation is as good.
      if (mean > 500) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(next)));
      const limit = Math.exp(-mean);
      let count = 0;
      for (let product = next(); product > limit; product *= next()) count++;
      return count;
    },
    hex(bytes) {
      let text = '';
      while (text.length < bytes * 2) text += word().toString(16).padStart(8, '0');
      return text.slice(0, bytes * 2);
    },
  };
  return random;
}

/** Standard normal by Box and Muller; 1 - u avoids the logarithm of zero. */
function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

type Words = readonly [number, number, number, number];

/** cyrb128 by bryc (public domain): spreads a string over 128 bits. */
function hash128(text: string): Words {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  const mixed = a ^ b ^ c ^ d;
  return [mixed >>> 0, (b ^ mixed) >>> 0, (c ^ mixed) >>> 0, (d ^ mixed) >>> 0];
}

/** sfc32 of Chris Doty-Humphrey's PractRand: small, fast, 128 bits of state; gives unsigned 32-bit words. */
function sfc32(state: Words): () => number {
  let [a, b, c, counter] = state;
  const word = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  // Neighbouring keys start in similar states; PractRand's author discards a dozen words for that reason.
  for (let i = 0; i < 12; i++) word();
  return word;
}
