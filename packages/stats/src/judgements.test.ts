import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from './compare.ts';
import { crossingProbability } from './crossing.ts';
import { estimate, quantileRanks } from './estimate.ts';
import { judgeGuard, unitsToDecide } from './guard.ts';
import { bayesianPower, fixedPower, minimalEffect, plan, sequentialPower, unitsFor } from './power.ts';
import type { Sample } from './sample.ts';
import { addSamples } from './sample.ts';
import { sampleRatio } from './sample-ratio.ts';

const proportion = (n: number, x: number) => ({ kind: 'proportion', n, x }) as const;
const frequentist = { engine: 'frequentist', alpha: 0.05, sequential: true } as const;

describe('compare', () => {
  it('takes the verdict from the absolute difference and shows the lift', () => {
    const result = compare(proportion(1500, 450), proportion(1500, 600), { ...frequentist, sequential: false });
    expect(result.absolute?.difference).toBeCloseTo(0.1, 12);
    expect(result.relative?.lift).toBeCloseTo(1 / 3, 12);
    expect(result.reason).toBeUndefined();
    const error = Math.sqrt((0.3 * 0.7 + 0.4 * 0.6) / 1500);
    const [low = 0, high = 0] = result.absolute?.interval ?? [];
    expect((high - low) / 2).toBeCloseTo(1.961 * error, 4);
  });
  it('gives no verdict with fewer than 10 events in an arm, and says so', () => {
    expect(compare(proportion(5000, 9), proportion(5000, 60), frequentist).reason).toBe('too_few_events');
    expect(compare(proportion(5000, 4995), proportion(5000, 4000), frequentist).reason).toBe('too_few_events');
    const sparse = { kind: 'mean', n: 5000, x: 90, xx: 900, events: 9 } as const;
    expect(compare(sparse, { ...sparse, x: 500, events: 50 }, frequentist).reason).toBe('too_few_events');
  });
  it.each([
    ['one unit', { kind: 'mean', n: 1, x: 5, xx: 25 } as const],
    ['no units', { kind: 'mean', n: 0, x: 0, xx: 0 } as const],
    ['equal values', { kind: 'mean', n: 100, x: 500, xx: 2500 } as const],
    ['values whose squares overflow', { kind: 'mean', n: 100, x: 1e200, xx: Number.POSITIVE_INFINITY } as const],
    ['a sum that is not a number', { kind: 'mean', n: 100, x: Number.NaN, xx: 2500 } as const],
    ['equal values whose sums are rounded', { kind: 'mean', n: 1000, x: 1000 * 0.1, xx: 1000 * 0.1 * 0.1 } as const],
  ])('gives no result for %s', (_name, arm) => {
    const result = compare(arm, { kind: 'mean', n: 100, x: 510, xx: 3000 }, frequentist);
    expect(result.reason).toBe('no_variance');
    expect(result.absolute).toBeUndefined();
    expect(result.control.mean).toBe(arm.n === 0 ? null : arm.x / arm.n);
  });
  it('rejects arms of different kinds', () => {
    expect(() => compare(proportion(10, 5), { kind: 'mean', n: 10, x: 5, xx: 5 }, frequentist)).toThrow(
      /different kinds/,
    );
  });
  it('shows no lift where the control’s value is 0', () => {
    const zero = { kind: 'mean', n: 100, x: 0, xx: 400 } as const;
    const result = compare(zero, { ...zero, x: 50 }, frequentist);
    expect(result.relative).toBeUndefined();
    expect(result.absolute?.difference).toBe(0.5);
  });
  it('states the power to find a target effect with the data so far', () => {
    const at = (n: number) =>
      compare(proportion(n, n / 10), proportion(n, n / 10), { ...frequentist, sequential: false, target: 0.1 }).power ??
      0;
    expect(at(14_751)).toBeCloseTo(0.82, 1);
    expect(at(1000)).toBeLessThan(0.2);
  });
  it('states the power of the test that decides', () => {
    const [control, treatment] = [proportion(20_000, 2_000), proportion(20_000, 2_000)];
    const target = { alpha: 0.05, target: 0.1 };
    const of = (engine: 'frequentist' | 'bayesian', sequential: boolean, prior?: { mean: number; variance: number }) =>
      compare(control, treatment, { ...target, engine, sequential, prior });
    const fixed = of('frequentist', false);
    expect(of('frequentist', true).power).toBeLessThan((fixed.power ?? 0) - 0.1);
    // Credible intervals do not widen for repeated looks
    for (const sequential of [true, false]) {
      expect(of('bayesian', sequential).power).toBeCloseTo(fixed.power ?? 0, 12);
      expect(of('bayesian', sequential).needed).toBe(fixed.needed);
    }
    // A prior of no effect must be overcome first, one of a large effect helps
    const sceptical = of('bayesian', true, { mean: 0, variance: 0.001 });
    expect(sceptical.power).toBeLessThan((fixed.power ?? 0) - 0.1);
    expect(sceptical.needed).toBeGreaterThan(1.2 * (fixed.needed ?? 0));
    const hopeful = { mean: 0.2, variance: 0.001 };
    expect(of('bayesian', true, hopeful).needed).toBeLessThan(fixed.needed ?? 0);
    // Of a metric of which less is better, a lift is no hope
    const analysis = { ...target, engine: 'bayesian', sequential: true, prior: hopeful, lowerIsBetter: true } as const;
    expect(compare(control, treatment, analysis).needed).toBeGreaterThan(fixed.needed ?? 0);
  });
  it('counts the units that are needed, not the events of a quantile', () => {
    const events = { kind: 'quantile', n: 500_000, level: 0.9, value: 7, lower: 6.95, upper: 7.05 } as const;
    const arm = { ...events, clusters: { n: 1000, x: 450_000, xx: 2.03e8, y: 500_000, yy: 2.51e8, xy: 2.255e8 } };
    const { power = 0, needed = 0 } = compare(arm, arm, { ...frequentist, sequential: false, target: 0.05 });
    expect(power).toBeGreaterThan(0.8);
    expect(needed).toBeLessThan(2000);
  });
  it('answers Bayesian questions, for metrics of which less is better too', () => {
    const bayesian = { engine: 'bayesian', alpha: 0.05, sequential: false } as const;
    const up = compare(proportion(1000, 100), proportion(1000, 140), bayesian);
    const down = compare(proportion(1000, 100), proportion(1000, 140), { ...bayesian, lowerIsBetter: true });
    expect(up.bayesian?.chanceToWin).toBeGreaterThan(0.99);
    expect(down.bayesian?.chanceToWin).toBeCloseTo(1 - (up.bayesian?.chanceToWin ?? 0), 12);
    expect(down.bayesian?.risk).toEqual({ control: up.bayesian?.risk.treatment, treatment: up.bayesian?.risk.control });
    // A strong prior of no effect draws the lift towards 0
    const sceptical = compare(proportion(1000, 100), proportion(1000, 140), {
      ...bayesian,
      prior: { mean: 0, variance: 0.0001 },
    });
    expect(Math.abs(sceptical.relative?.lift ?? 1)).toBeLessThan(0.01);
  });
  it('does not depend on the units of the metric', () => {
    const sum = fc.double({ min: 1, max: 1e3, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 1e6 }),
        sum,
        sum,
        fc.double({ min: 0.001, max: 1e4, noNaN: true }),
        (n, m, spread, unit) => {
          const arm = (value: number, u: number) =>
            ({ kind: 'mean', n, x: n * value * u, xx: n * (value * value + spread) * u * u }) as const;
          const one = compare(arm(m, 1), arm(m * 1.1, 1), frequentist);
          const scaled = compare(arm(m, unit), arm(m * 1.1, unit), frequentist);
          expect(scaled.absolute?.pValue).toBeCloseTo(one.absolute?.pValue ?? -1, 6);
          expect(scaled.relative?.lift).toBeCloseTo(0.1, 6);
        },
      ),
    );
  });
});

describe('samples', () => {
  it('add up only with their kind', () => {
    const mean: Sample & { kind: 'mean' | 'proportion' } = { kind: 'mean', n: 2, x: 3, xx: 5 };
    expect(addSamples(mean, mean)).toEqual({ kind: 'mean', n: 4, x: 6, xx: 10 });
    expect(() => addSamples<Sample & { kind: 'mean' | 'proportion' }>(mean, proportion(1, 1))).toThrow(/kind/);
  });
});

describe('sample ratio', () => {
  it('finds a shift of one percentage point among 100,000 units', () => {
    expect(sampleRatio([50_000, 50_000], [1, 1]).ok).toBe(true);
    expect(sampleRatio([51_000, 49_000], [1, 1]).ok).toBe(false);
  });
  it('does not judge fewer than 8 units per arm', () => {
    expect(sampleRatio([0, 15], [1, 1])).toMatchObject({ ok: true, pValue: 1 });
    expect(sampleRatio([0, 16], [1, 1]).ok).toBe(false);
  });
  it('leaves out arms with weight 0 and takes weights of any sum', () => {
    expect(sampleRatio([500, 500, 7], [50_000, 50_000, 0])).toMatchObject({ ok: true, expected: [500, 500, 0] });
    expect(sampleRatio([900, 100], [90, 10]).ok).toBe(true);
  });
  it('stays finite for ten million units', () => {
    const { pValue } = sampleRatio([5_000_100, 4_999_900], [1, 1]);
    expect(pValue).toBeGreaterThan(0.05);
    expect(pValue).toBeLessThanOrEqual(1);
  });
  it('rejects a list of weights of another length', () => {
    expect(() => sampleRatio([1, 2], [1])).toThrow(/weight/);
  });
});

describe('guard', () => {
  const errors = { direction: 'down_is_good', tolerance: 0.01 } as const;
  it('finds errors in every second request of 100', () => {
    expect(judgeGuard({ ...errors, control: proportion(100, 0), treatment: proportion(100, 50) }).verdict).toBe('harm');
  });
  it('finds harm where every unit fails', () => {
    expect(judgeGuard({ ...errors, control: proportion(200, 0), treatment: proportion(200, 200) }).verdict).toBe(
      'harm',
    );
  });
  it('tolerates what it is configured to', () => {
    const arms = { control: proportion(100_000, 1000), treatment: proportion(100_000, 1800) };
    expect(judgeGuard({ ...errors, ...arms }).verdict).toBe('no_harm');
    expect(judgeGuard({ ...errors, ...arms, tolerance: 0.001 }).verdict).toBe('harm');
  });
  it('takes a tolerance as a fraction of the control’s value', () => {
    const slow = { kind: 'mean', n: 5000, x: 5000 * 100, xx: 5000 * (100 ** 2 + 900) } as const;
    const slower = { ...slow, x: 5000 * 112, xx: 5000 * (112 ** 2 + 900) };
    const latency = { control: slow, treatment: slower, direction: 'down_is_good', scale: 'relative' } as const;
    expect(judgeGuard({ ...latency, tolerance: 0.05 })).toMatchObject({
      verdict: 'harm',
      tolerated: 5,
      harm: 12,
    });
    expect(judgeGuard({ ...latency, tolerance: 0.15 }).verdict).toBe('no_harm');
    expect(judgeGuard({ ...latency, tolerance: 0.05, direction: 'up_is_good' }).harm).toBe(-12);
  });
  it('waits for units, and for a variance', () => {
    expect(judgeGuard({ ...errors, control: proportion(20, 0), treatment: proportion(20, 20) }).verdict).toBe(
      'not_sure',
    );
    expect(judgeGuard({ ...errors, control: proportion(300, 0), treatment: proportion(300, 0) })).toMatchObject({
      verdict: 'not_sure',
      harm: 0,
    });
    expect(judgeGuard({ ...errors, control: proportion(0, 0), treatment: proportion(0, 0) }).verdict).toBe('not_sure');
  });
  it('is not sure between harm and no harm, and tells how many units it needs', () => {
    const unsure = { ...errors, control: proportion(200, 0), treatment: proportion(202, 8) };
    expect(judgeGuard(unsure).verdict).toBe('not_sure');
    for (const [control, treatment] of [
      [0, 8],
      [4, 4],
      [0, 0],
    ] as const) {
      const of = (times: number) => ({
        ...errors,
        control: proportion(200 * times, control * times),
        treatment: proportion(200 * times, treatment * times),
      });
      const needed = unitsToDecide(of(1)) ?? 0;
      expect(needed).toBeGreaterThan(200);
      expect(judgeGuard(of(Math.ceil((needed / 200) * 1.2))).verdict).not.toBe('not_sure');
      expect(judgeGuard(of(Math.floor((needed / 200) * 0.8))).verdict).toBe('not_sure');
    }
    expect(unitsToDecide({ ...errors, control: proportion(200, 0), treatment: proportion(200, 2) })).toBeUndefined();
  });
  it('is stricter when it is one of several', () => {
    const arms = { control: proportion(2000, 40), treatment: proportion(2000, 100) };
    const bound = (guards: number) => judgeGuard({ ...errors, ...arms, guards }).bound ?? 0;
    expect(bound(4)).toBeLessThan(bound(1));
  });
});

describe('power', () => {
  // Jennison, Turnbull, "Group Sequential Methods with Applications to Clinical Trials", 2000, tables 2.1 and 2.3
  it.each([
    [2, 2.178],
    [3, 2.289],
    [5, 2.413],
    [10, 2.555],
    [20, 2.672],
  ])('Pocock’s bound for %d looks errs in 5 %%', (looks, bound) => {
    const all = Array.from({ length: looks }, (_, i) => ({ time: (i + 1) / looks, upper: bound, lower: -bound }));
    expect(crossingProbability(all, 0)).toBeCloseTo(0.05, 3);
  });
  it.each([
    [2, 1.977],
    [3, 2.004],
    [5, 2.04],
    [10, 2.087],
    [20, 2.126],
  ])('O’Brien and Fleming’s bound for %d looks errs in 5 %%', (looks, bound) => {
    const all = Array.from({ length: looks }, (_, i) => {
      const upper = bound * Math.sqrt(looks / (i + 1));
      return { time: (i + 1) / looks, upper, lower: -upper };
    });
    expect(crossingProbability(all, 0)).toBeCloseTo(0.05, 3);
  });
  it('one look is a normal tail, and an effect that all looks pass has power 1', () => {
    expect(crossingProbability([{ time: 1, upper: 1.959964, lower: -Infinity }], 0)).toBeCloseTo(0.025, 5);
    expect(crossingProbability([{ time: 1, upper: 2, lower: -2 }], 40)).toBe(1);
  });
  it('the price of sequential looks: 0.1 σ with 2,000 an arm', () => {
    expect(sequentialPower(0.1, Math.sqrt(2 / 2000), 4000, 0.05)).toBeCloseTo(0.623, 2);
  });
  it('plans 14,749 units an arm for 10 % to 11 %', () => {
    const input = {
      control: { mean: 0.1, variance: 0.09 },
      treatment: { mean: 0.11, variance: 0.0979 },
      alpha: 0.05,
      power: 0.8,
      arms: 2,
    };
    const result = plan({ ...input, daily: 10_000 });
    expect(result?.fixed).toEqual({ perArm: 14_749, total: 29_498, days: 3 });
    const perArm = result?.sequential.perArm ?? 0;
    expect(sequentialPower(0.01, Math.sqrt((0.09 + 0.0979) / perArm), 2 * perArm, 0.05)).toBeCloseTo(0.8, 2);
    expect(plan(input)?.fixed.days).toBeUndefined();
    expect(plan({ ...input, arms: 4 })?.fixed.perArm).toBeGreaterThan(14_749);
    expect(plan({ ...input, varianceLeft: 0.5 })?.fixed.perArm).toBe(7375);
    expect(plan({ ...input, treatment: input.control })).toBeUndefined();
    // Powers that rounding cannot tell from 1
    for (const power of [1 - 2 ** -53, 1 - 1e-12]) {
      const sizes = plan({ ...input, power });
      expect(sizes === undefined || Number.isFinite(sizes.sequential.perArm)).toBe(true);
    }
  });
});

describe('units that are left', () => {
  const data = { standardError: Math.sqrt((0.09 + 0.0979) / 1000), n: 2000 };
  it('are those of the plan, whatever the data so far', () => {
    expect(unitsFor(0.01, data, { alpha: 0.05, power: 0.8, sequential: false })).toBe(29_497);
    const sequential = unitsFor(0.01, data, { alpha: 0.05, power: 0.8, sequential: true }) ?? 0;
    expect(Math.abs(sequential / 56_886 - 1)).toBeLessThan(0.01);
    expect(unitsFor(0, data, { alpha: 0.05, power: 0.8, sequential: false })).toBeUndefined();
  });
  it('depend on the prior of the Bayesian engine', () => {
    const search = { alpha: 0.05, power: 0.8, sequential: false };
    const of = (prior?: { mean: number; variance: number }) => unitsFor(0.01, data, { ...search, prior });
    // A wide prior is hardly one
    expect(Math.abs((of({ mean: 0, variance: 1 }) ?? 0) / 29_497 - 1)).toBeLessThan(1e-3);
    for (const prior of [
      { mean: 0, variance: 1e-4 },
      { mean: -0.01, variance: 1e-3 },
    ]) {
      const needed = of(prior) ?? 0;
      expect(needed).toBeGreaterThan(29_497);
      const at = (n: number) => bayesianPower(0.01, data.standardError * Math.sqrt(data.n / n), 0.05, prior);
      expect(at(needed)).toBeGreaterThanOrEqual(0.8);
      expect(at(needed - 1)).toBeLessThan(0.8);
    }
    // Who is sure of the opposite cannot be convinced
    expect(of({ mean: -0.01, variance: 1e-18 })).toBeUndefined();
    expect(bayesianPower(0.01, 0.004, 0.05)).toBe(fixedPower(0.01, 0.004, 0.05));
  });
  it('have no smallest effect where the control’s mean is too uncertain', () => {
    expect(minimalEffect({ mean: 0.01, variance: 100 }, 10, { alpha: 0.05, power: 0.8 })).toBeUndefined();
  });
});

describe('quantiles', () => {
  it('name the order statistics around the quantile', () => {
    const ranks = quantileRanks(10_000, 0.95);
    expect(ranks?.lower).toBeCloseTo(0.945728, 5);
    expect(ranks?.upper).toBeCloseTo(0.954272, 5);
    expect(quantileRanks(50, 0.95)).toBeUndefined();
    // Fewer than 35 events have no order statistic above their 90th percentile with 95 % confidence
    expect(estimate({ kind: 'quantile', level: 0.9, n: 30, value: 5, lower: 4, upper: 6 }).variance).toBe(0);
  });
  it('of one unit have no error, however many events it has', () => {
    const events = { kind: 'quantile', n: 1_000_000, level: 0.9, value: 7, lower: 6.9, upper: 7.1 } as const;
    const one = { ...events, clusters: { n: 1, x: 9e5, xx: 8.1e11, y: 1e6, yy: 1e12, xy: 9e11 } };
    expect(compare(one, { ...one, value: 9, lower: 8.9, upper: 9.1 }, frequentist)).toMatchObject({
      reason: 'no_variance',
    });
  });
  it('of few units have no verdict, and wider intervals, however many events they have', () => {
    const of = (units: number, value: number, active?: number) => {
      const clusters = { n: units, x: 900, xx: 829_000 / units, y: 1000, yy: 1e6 / units, xy: 905_000 / units };
      return {
        kind: 'quantile',
        n: 1000,
        level: 0.9,
        value,
        lower: value - 0.1,
        upper: value + 0.1,
        clusters,
        active,
      } as const;
    };
    const fixed = { ...frequentist, sequential: false };
    expect(compare(of(9, 7), of(9, 12), fixed).reason).toBe('too_few_events');
    expect(compare(of(10, 7), of(10, 12), fixed).reason).toBeUndefined();
    // Units that were exposed and never had an event make no percentile
    expect(compare(of(5000, 7, 9), of(5000, 12, 9), fixed).reason).toBe('too_few_events');
    // Student's t with 18 degrees of freedom instead of the normal distribution
    const { interval = [0, 0], standardError = 1 } = compare(of(10, 7), of(10, 12), fixed).absolute ?? {};
    expect((interval[1] - interval[0]) / 2 / standardError).toBeCloseTo(2.101, 3);
  });
  it('have a larger variance where events come in clusters of a unit', () => {
    const sample = { kind: 'quantile', n: 10_000, level: 0.9, value: 7, lower: 6.9, upper: 7.1 } as const;
    // 100 units with 100 events each, all of a unit on the same side of the quantile
    const clusters = { n: 100, x: 9000, xx: 900_000, y: 10_000, yy: 1_000_000, xy: 900_000 };
    expect(estimate({ ...sample, clusters }).variance / estimate(sample).variance).toBeCloseTo(101, 0);
  });
});
