import type { Sample, SummableSample } from '../sample.ts';
import { addSamples } from '../sample.ts';

/** Uniform numbers in (0, 1): mulberry32, seeded so that a simulation can be repeated. */
export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4_294_967_296;
  };
}

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

/** Draws the sums of `n` new units of an arm whose metric has the given lift. */
export type Draw = (random: Random, n: number, lift: number) => SummableSample;

export const proportions =
  (rate: number): Draw =>
  (random, n, lift) => {
    const p = rate * (1 + lift);
    let x = 0;
    for (let i = 0; i < n; i += 1) if (random() < p) x += 1;
    return { kind: 'proportion', n, x };
  };

/** Normal values with mean 10 and standard deviation 10: a lift of 0.1 is 0.1 σ. */
export const normals: Draw = (random, n, lift) => {
  let x = 0;
  let xx = 0;
  for (let i = 0; i < n; i += 1) {
    const value = 10 * (1 + lift) + 10 * normal(random);
    x += value;
    xx += value * value;
  }
  return { kind: 'mean', n, x, xx };
};

/** Revenue: a share of the units buys, for log-normal amounts whose largest are hundreds of times the median. `cap` limits a unit. */
export const revenue =
  (rate: number, spread: number, cap = Number.POSITIVE_INFINITY): Draw =>
  (random, n, lift) => {
    let x = 0;
    let xx = 0;
    let events = 0;
    for (let i = 0; i < n; i += 1) {
      if (random() >= rate * (1 + lift)) continue;
      const value = Math.min(cap, Math.exp(spread * normal(random)));
      events += 1;
      x += value;
      xx += value * value;
    }
    return { kind: 'mean', n, x, xx, events };
  };

/** Errors per request, where a unit has 1 to 20 requests and an error rate of its own, so that its requests are not independent. */
export const clustered =
  (rate: number): Draw =>
  (random, n, lift) => {
    const sums = { x: 0, xx: 0, y: 0, yy: 0, xy: 0 };
    let events = 0;
    for (let i = 0; i < n; i += 1) {
      const requests = 1 + Math.floor(20 * random() ** 3);
      // Half of the units never fail, the others twice as often as the rate says
      const own = random() < 0.5 ? 0 : 2 * rate * (1 + lift);
      let errors = 0;
      for (let j = 0; j < requests; j += 1) if (random() < own) errors += 1;
      if (errors > 0) events += 1;
      sums.x += errors;
      sums.xx += errors * errors;
      sums.y += requests;
      sums.yy += requests * requests;
      sums.xy += errors * requests;
    }
    return { kind: 'ratio', n, ...sums, events };
  };

/** Normal values that correlate with the same units' values before. */
export const correlated =
  (correlation: number): Draw =>
  (random, n, lift) => {
    const s = { x: 0, xx: 0, b: 0, bb: 0, xb: 0 };
    const rest = Math.sqrt(1 - correlation ** 2);
    for (let i = 0; i < n; i += 1) {
      const shared = normal(random);
      const before = 10 + 10 * shared;
      const value = 10 * (1 + lift) + 10 * (correlation * shared + rest * normal(random));
      s.x += value;
      s.xx += value * value;
      s.b += before;
      s.bb += before * before;
      s.xb += value * before;
    }
    return { kind: 'adjusted', n, ...s };
  };

/** Samples of the arms after each look: each look adds `perLook` units to each arm, or as many as it says. */
export function* looks(
  random: Random,
  draw: Draw,
  lifts: readonly number[],
  perLook: readonly number[],
): Generator<readonly Sample[]> {
  let arms: SummableSample[] | undefined;
  for (const n of perLook) {
    const more = lifts.map((lift) => draw(random, n, lift));
    arms = arms?.map((arm, i) => (more[i] === undefined ? arm : addSamples(arm, more[i]))) ?? more;
    yield arms;
  }
}
