import { quantileRanks } from '../estimate.ts';
import type { QuantileSample, Sample, SummableSample } from '../sample.ts';
import { addSamples } from '../sample.ts';
import type { StratumPair } from '../stratify.ts';

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

/** Errors per request as in `clustered`, with those of the same units before, when each had its error rate already. */
export const clusteredBefore =
  (rate: number): Draw =>
  (random, n, lift) => {
    const s = { x: 0, y: 0, b: 0, c: 0, xx: 0, yy: 0, bb: 0, cc: 0, xy: 0, xb: 0, xc: 0, yb: 0, yc: 0, bc: 0 };
    let events = 0;
    const errorsOf = (requests: number, p: number) => {
      let errors = 0;
      for (let j = 0; j < requests; j += 1) if (random() < p) errors += 1;
      return errors;
    };
    for (let i = 0; i < n; i += 1) {
      const own = random() < 0.5 ? 0 : 2 * rate;
      const [y, c] = [1 + Math.floor(20 * random()), 1 + Math.floor(20 * random())];
      const [x, b] = [errorsOf(y, own * (1 + lift)), errorsOf(c, own)];
      if (x > 0) events += 1;
      s.x += x;
      s.y += y;
      s.b += b;
      s.c += c;
      s.xx += x * x;
      s.xy += x * y;
      s.xb += x * b;
      s.xc += x * c;
      s.yy += y * y;
      s.yb += y * b;
      s.yc += y * c;
      s.bb += b * b;
      s.bc += b * c;
      s.cc += c * c;
    }
    return { kind: 'adjusted_ratio', n, ...s, events };
  };

/** What is seen at a look: the arms, the control first, and the same by stratum. */
export interface Seen {
  arms: readonly Sample[];
  strata?: readonly (readonly SummableSample[])[];
}

/** The looks of one experiment. */
export type Series = (random: Random) => Iterable<Seen>;

/** Each look adds `perLook` units to each arm, or as many as it says. */
export function growing(draw: Draw, lifts: readonly number[], perLook: readonly number[]): Series {
  return function* (random) {
    let arms: readonly SummableSample[] | undefined;
    for (const n of perLook) {
      arms = added(
        arms,
        lifts.map((lift) => draw(random, n, lift)),
      );
      yield { arms };
    }
  };
}

/** Phases one after the other, each with its own draw and the units of each arm at its looks. */
export function phased(
  phases: readonly { draw: Draw; perLook: readonly number[]; looks: number }[],
  lifts: readonly number[],
): Series {
  return function* (random) {
    const before: (readonly SummableSample[])[] = [];
    for (const { draw, perLook, looks } of phases) {
      let arms: readonly SummableSample[] | undefined;
      for (let look = 0; look < looks; look += 1) {
        arms = added(
          arms,
          lifts.map((lift, i) => draw(random, perLook[i] ?? 0, lift)),
        );
        const strata = [...before, arms];
        yield { arms: strata.reduce(added), strata };
      }
      if (arms !== undefined) before.push(arms);
    }
  };
}

function added(
  arms: readonly SummableSample[] | undefined,
  more: readonly SummableSample[],
): readonly SummableSample[] {
  return arms?.map((arm, i) => (more[i] === undefined ? arm : addSamples(arm, more[i]))) ?? more;
}

/** The pairs of the control and a treatment in each stratum. */
export function pairsOf({ strata }: Seen, treatment: number): StratumPair[] | undefined {
  return strata?.flatMap((arms) => {
    const [control, other] = [arms[0], arms[treatment]];
    return control && other ? [{ control, treatment: other }] : [];
  });
}

/** A quantile of durations: log-normal, with a speed of each unit's own and 1 to 8 requests a unit. */
export function durations(level: number, lifts: readonly number[], perLook: readonly number[]): Series {
  return function* (random) {
    const units: number[][][] = lifts.map(() => []);
    for (const n of perLook) {
      lifts.forEach((lift, arm) => {
        for (let i = 0; i < n; i += 1) {
          const own = 0.5 * normal(random);
          const requests = 1 + Math.floor(8 * random());
          units[arm]?.push(Array.from({ length: requests }, () => (1 + lift) * Math.exp(own + 0.8 * normal(random))));
        }
      });
      yield { arms: units.map((arm) => quantileOf(level, arm)) };
    }
  };
}

/** As the store computes it, from all values by unit. */
export function quantileOf(level: number, units: readonly (readonly number[])[]): QuantileSample {
  const sorted = Float64Array.from(units.flat()).sort();
  const n = sorted.length;
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * n) - 1)] ?? Number.NaN;
  const value = at(level);
  const ranks = quantileRanks(n, level) ?? { lower: level, upper: level };
  const clusters = { n: units.length, x: 0, xx: 0, y: 0, yy: 0, xy: 0 };
  for (const values of units) {
    const y = values.length;
    let x = 0;
    for (const v of values) if (v <= value) x += 1;
    clusters.x += x;
    clusters.xx += x * x;
    clusters.y += y;
    clusters.yy += y * y;
    clusters.xy += x * y;
  }
  return { kind: 'quantile', n, level, value, lower: at(ranks.lower), upper: at(ranks.upper), clusters };
}
