/**
 * Numbers of the public test suites of GrowthBook's statistics, as facts: inputs and the results that its tests expect, without its code.
 * Source: https://github.com/growthbook/growthbook, packages/stats/tests and packages/shared/test/power.test.ts (MIT license).
 */
import { describe, expect, it } from 'vitest';
import { expectedExcess, posterior } from './bayesian.ts';
import { benjaminiHochberg, holm } from './corrections.ts';
import type { Effect } from './effect.ts';
import { effects } from './effect.ts';
import { estimate, pooledTheta } from './estimate.ts';
import { fixedTest } from './fixed.ts';
import { fixedPower, minimalEffect } from './power.ts';
import type { AdjustedRatioSample, AdjustedSample, MeanSample, QuantileSample, Sample } from './sample.ts';
import { addSamples } from './sample.ts';
import { sampleRatio } from './sample-ratio.ts';
import { sequentialCritical, sequentialTest } from './sequential.ts';
import { normalCritical } from './special/normal.ts';
import { stratifiedEffects } from './stratify.ts';

const mean = (n: number, x: number, xx: number): MeanSample => ({ kind: 'mean', n, x, xx });
const a3407 = mean(3407, 1396.87, 52377.9767);
const a3000 = mean(3000, 1396.87, 52377.9767);
const b3461 = mean(3461, 2422.7, 134698.29);
function both(control: Sample, treatment: Sample): { absolute: Effect; relative: Effect } {
  const result = effects(control, treatment);
  if (result?.relative === undefined) throw new Error('no effects');
  return { absolute: result.absolute, relative: result.relative };
}
const shown = ({ difference, standardError }: Effect) => [difference, standardError];
/** Equal to 5 decimals, as the suites compare. */
function close(actual: readonly number[], expected: readonly number[], decimals = 5) {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    if (Number.isFinite(value)) expect(actual[i]).toBeCloseTo(value, decimals);
    else expect(actual[i]).toBe(value);
  });
}

const ratioControl: AdjustedRatioSample = {
  kind: 'adjusted_ratio',
  n: 100,
  x: 485.112236689623,
  xx: 2715.484666118136,
  y: 679.9093275844917,
  yy: 4939.424001640236,
  b: 192.59138069991536,
  bb: 460.076026390857,
  c: 290.1398399750233,
  cc: 920.9461385038898,
  xb: 1113.6215759318352,
  yc: 2130.9404074446747,
  bc: 634.239482353647,
  xy: 3602.146836776702,
  xc: 1559.2878434944676,
  yb: 1460.3181079276983,
};
const ratioTreatment: AdjustedRatioSample = {
  kind: 'adjusted_ratio',
  n: 100,
  x: 514.7757826608777,
  xx: 2994.897482705013,
  y: 705.4090874383759,
  yy: 5291.36604146392,
  b: 206.94157227402536,
  bb: 514.2903702246757,
  c: 302.54389139107326,
  cc: 994.4506208125663,
  xb: 1237.0953021125997,
  yc: 2292.081739775257,
  bc: 698.4173425817908,
  xy: 3918.1561431600717,
  xc: 1701.0287270040265,
  yb: 1604.0759503266522,
};

describe('frequentist tests', () => {
  it('Welch, relative', () => {
    const { relative } = both(a3407, b3461);
    close(shown(relative), [0.70732, 0.37879]);
    const { interval, pValue } = fixedTest(relative, 0.05);
    close([...interval, pValue], [-0.03526, 1.44989, 0.06191]);
  });
  it('Welch, absolute', () => {
    const { absolute } = both(a3407, b3461);
    close(shown(absolute), [0.29, 0.12478]);
    const { interval, pValue } = fixedTest(absolute, 0.05);
    close([...interval, pValue], [0.04538, 0.53462, 0.02016]);
  });
  it('proportions', () => {
    const { relative } = both({ kind: 'proportion', n: 28, x: 14 }, { kind: 'proportion', n: 30, x: 16 });
    close(shown(relative), [0.06667, 0.2717]);
    const { interval, pValue } = fixedTest(relative, 0.05);
    close([...interval, pValue], [-0.47767, 0.61101, 0.80707]);
  });
  it('no result where a variance is negative', () => {
    expect(effects(mean(2, 1396.87, 52377.9767), b3461)).toBeUndefined();
  });
  it('ratios with CUPED', () => {
    const { relative } = both(ratioControl, ratioTreatment);
    close(shown(relative), [-0.0007, 0.00391]);
    const { interval, pValue } = fixedTest(relative, 0.05);
    close([...interval, pValue], [-0.00841, 0.007, 0.85771]);
  });
  it('sequential, tuned for 1,000 units', () => {
    const { interval, pValue } = sequentialTest(both(a3000, b3461).relative, 0.05, 'both', 1000);
    close([...interval, pValue], [-0.55844, 1.56516, 1]);
  });
  it('sequential, proportions', () => {
    const { relative } = both({ kind: 'proportion', n: 3000, x: 1396 }, { kind: 'proportion', n: 3461, x: 2422 });
    const { interval, pValue } = sequentialTest(relative, 0.05);
    close([...shown(relative), ...interval, pValue], [0.50386, 0.03386, 0.40098, 0.60675, 0]);
  });
  it('sequential, CUPED', () => {
    const before = { n: 3000, b: 16.87, bb: 527.9767, xb: 1 };
    const control: AdjustedSample = { ...a3000, ...before, kind: 'adjusted' };
    const treatment: AdjustedSample = { ...b3461, b: 22.7, bb: 1348.29, xb: 1, kind: 'adjusted' };
    const { relative } = both(control, treatment);
    const { interval, pValue } = sequentialTest(relative, 0.05);
    close([...shown(relative), pValue], [0.50338, 0.33341, 1]);
    // The suite's interval differs by 1.3e-5: its gradient leaves out the difference of the means before, which its ratios take in.
    close(interval, [-0.50969, 1.51646], 4);
  });
  it('sequential, ratios with CUPED', () => {
    const { interval, pValue } = sequentialTest(both(ratioControl, ratioTreatment).relative, 0.05);
    close([...interval, pValue], [-0.02063, 0.01923, 1]);
  });
  it('sequential: the interval is narrowest near the number of units that it is tuned for', () => {
    const { relative } = both(a3000, b3461);
    const width = (tunedFor: number) => {
      const [low, high] = sequentialTest(relative, 0.05, 'both', tunedFor).interval;
      return high - low;
    };
    expect(width(10)).toBeGreaterThan(width(10_000));
    expect(width(10_000)).toBeGreaterThan(width(6461));
  });
  it('one-sided', () => {
    const { absolute, relative } = both(a3000, b3461);
    const greater = fixedTest(relative, 0.05, 'greater');
    close([...greater.interval, greater.pValue], [-0.045136675850396046, Infinity, 0.06558262868467746], 8);
    const greaterAbsolute = fixedTest(absolute, 0.05, 'greater');
    close(
      [...greaterAbsolute.interval, greaterAbsolute.pValue],
      [0.020791480063255735, Infinity, 0.03554272489873023],
      8,
    );
    const less = fixedTest(relative, 0.05, 'less');
    close([...less.interval, less.pValue], [-Infinity, 1.0518588475628676, 0.9344173713153225], 8);
    const lessAbsolute = fixedTest(absolute, 0.05, 'less');
    close([...lessAbsolute.interval, lessAbsolute.pValue], [-Infinity, 0.44796185327007765, 0.9644572751012698], 8);
  });
  it('one-sided, sequential', () => {
    const { absolute, relative } = both(a3000, b3461);
    close(sequentialTest(relative, 0.05, 'greater').interval, [-0.42356454602790883, Infinity], 8);
    close(sequentialTest(absolute, 0.05, 'greater').interval, [-0.12656844172804982, Infinity], 8);
    close(sequentialTest(relative, 0.05, 'less').interval, [-Infinity, 1.4302867177403806], 8);
    close(sequentialTest(absolute, 0.05, 'less').interval, [-Infinity, 0.5953217750613832], 8);
    // The suite searches the p-value by bisection and stops within 2e-4 of it; above ½ it reports .4999.
    expect(sequentialTest(absolute, 0.05, 'greater').pValue).toBeCloseTo(0.46316, 3);
    expect(sequentialTest(relative, 0.05, 'greater').pValue).toBeGreaterThan(0.4999);
    expect(sequentialTest(absolute, 0.05, 'less').pValue).toBe(1);
  });
});

describe('Bayesian tests', () => {
  it('proportions under a flat prior', () => {
    const { relative } = both({ kind: 'proportion', n: 100, x: 49 }, { kind: 'proportion', n: 100, x: 51 });
    const p = posterior(relative, 0.05);
    close([p.mean, ...p.interval, p.standardDeviation, p.chanceToWin], [0.04082, -0.24779, 0.32943, 0.14725, 0.60918]);
    close([p.risk.control, p.risk.treatment], [0.0814, 0.04058]);
  });
  const control = mean(10, 100, 1002.25);
  const treatment = mean(10, 105, 1111.5);
  it('means under a flat prior', () => {
    const p = posterior(both(control, treatment).relative, 0.05);
    close([p.mean, ...p.interval, p.standardDeviation, p.chanceToWin], [0.05, -0.02, 0.12, 0.03572, 0.91923]);
    close([p.risk.control, p.risk.treatment], [0.05131, 0.00131]);
  });
  it('means under an informative prior', () => {
    const p = posterior(both(control, treatment).relative, 0.05, { prior: { mean: 0.1, variance: 0.1 } });
    close([p.mean, ...p.interval, p.standardDeviation, p.chanceToWin], [0.05063, -0.01893, 0.12019, 0.03549, 0.92315]);
    close([p.risk.control, p.risk.treatment], [0.05186, 0.00123]);
  });
  it('no result without units', () => {
    expect(effects({ kind: 'proportion', n: 0, x: 0 }, { kind: 'proportion', n: 0, x: 0 })).toBeUndefined();
    expect(effects(mean(0, 0, 0), mean(0, 0, 0))).toBeUndefined();
  });
  it('quantiles, under flat and informative priors, absolute and relative', () => {
    const quantile = (n: number, value: number, lower: number, upper: number): QuantileSample => ({
      kind: 'quantile',
      level: 0.9,
      n,
      value,
      lower,
      upper,
    });
    const c = quantile(11054, 7.157987489967789, 7.098780136176828, 7.217194843758751);
    const t = quantile(10861, 7.694499927525767, 7.64180598628119, 7.747193868770344);
    const { absolute, relative } = both(c, t);
    const of = (effect: Effect, prior?: { mean: number; variance: number }) => {
      const p = posterior(effect, 0.05, prior && { prior });
      return [p.mean, ...p.interval];
    };
    close(of(absolute), [0.5365124375579775, 0.4572559589115422, 0.6157689162044128], 12);
    close(
      of(relative, { mean: 0, variance: 1e6 }),
      [0.07495297222736319, 0.06341005842481906, 0.08649588602990732],
      12,
    );
    close(of(relative, { mean: 0, variance: 1 }), [0.07495037261804469, 0.06340765898986044, 0.08649308624622894], 12);
    const size = 7.157987489967789;
    close(
      of(absolute, { mean: 0, variance: 1e6 * size ** 2 }),
      [0.536512437540855, 0.4572559588956844, 0.6157689161860256],
      12,
    );
    close(
      of(absolute, { mean: 0, variance: size ** 2 }),
      [0.536495315442269, 0.4572401014910488, 0.6157505293934892],
      12,
    );
  });
  it('a prior of the relative effect, scaled, gives nearly the same chance on both scales', () => {
    const { absolute, relative } = both(mean(100, 1000, 200_000), mean(100, 1100, 200_005));
    const one = posterior(relative, 0.05, { prior: { mean: 1, variance: 1 } }).chanceToWin;
    const other = posterior(absolute, 0.05, { prior: { mean: 10, variance: 100 } }).chanceToWin;
    expect(Math.abs(one - other)).toBeLessThan(0.01);
  });
  it('risk is stable where the posterior is narrow', () => {
    expect([expectedExcess(0.01, 4.5e-9), expectedExcess(-0.01, 4.5e-9)]).toEqual([0.01, 0]);
    close([expectedExcess(0.1, 0.05), expectedExcess(-0.1, 0.05)], [0.1004245351308, 0.0004245351308414], 12);
  });
});

describe('samples', () => {
  const one = [0.3, 0.5, 0.9, 22];
  const three = [2, 1, 5, 3];
  const sum = (values: number[]) => values.reduce((total, v) => total + v, 0);
  const dot = (left: number[], right: number[]) => sum(left.map((v, i) => v * (right[i] ?? 0)));
  it('mean and variance of raw values', () => {
    const sample = estimate(mean(4, sum(one), dot(one, one)));
    close([sample.value, sample.variance], [5.925, 114.9091667], 6);
    expect(estimate(mean(1, sum(one), dot(one, one))).variance).toBe(0);
  });
  it('a proportion has the variance p (1 − p)', () => {
    const { value, variance, plain } = estimate({ kind: 'proportion', n: 4, x: 3 });
    expect([value, variance, plain]).toEqual([0.75, 0.1875, 0.75]);
  });
  it('a ratio whose denominator is 0 has no variance', () => {
    const ratio = {
      kind: 'ratio',
      n: 4,
      x: sum(one),
      xx: dot(one, one),
      y: 0,
      yy: dot(three, three),
      xy: dot(one, three),
    } as const;
    expect(estimate(ratio).variance).toBe(0);
  });
  it('θ of CUPED is pooled, and 0 without variance before', () => {
    const sample: AdjustedSample = {
      kind: 'adjusted',
      n: 4,
      x: sum(three),
      xx: dot(three, three),
      b: sum(one),
      bb: dot(one, one),
      xb: dot(one, three),
    };
    close([pooledTheta(sample, sample)], [0.01864]);
    const none = { ...sample, b: 0, bb: 0, xb: 0 };
    expect(pooledTheta(none, none)).toBe(0);
    expect(estimate(sample, 0).value).toBe(2.75);
    const adjusted = estimate(sample, 0.23);
    expect(adjusted.plain).toBe(2.75);
    expect(adjusted.value).not.toBe(2.75);
    expect(estimate({ ...sample, n: 1 }, 0.3).variance).toBe(0);
  });
  it('sums of strata add up', () => {
    const total = [mean(500, 40, 73), mean(500, 10, 75), mean(500, 40, 73)].reduce(addSamples, mean(500, 10, 75));
    expect(total).toEqual(mean(2000, 100, 296));
    expect(() =>
      addSamples<Sample & { kind: 'mean' | 'proportion' }>(total, { kind: 'proportion', n: 1, x: 1 }),
    ).toThrow(/kind/);
  });
  it('a quantile whose order statistics collapse has no result, however many events there are', () => {
    const quantile = (n: number, lower: number, upper: number): QuantileSample => ({
      kind: 'quantile',
      level: 0.9,
      n,
      value: 5,
      lower,
      upper,
    });
    expect(estimate(quantile(60_000_000, 5, 5)).variance).toBe(0);
    expect(estimate(quantile(999, 5, 5)).variance).toBe(0);
    expect(estimate(quantile(60_000_000, 4.99, 5.01)).variance).toBeGreaterThan(0);
    expect(effects(quantile(60_000_000, 5, 5), quantile(60_000_000, 4.99, 5.01))).toBeUndefined();
    // Fewer than 35 events have no order statistic above their 90th percentile with 95 % confidence.
    expect(estimate(quantile(30, 4, 6)).variance).toBe(0);
  });
  it.each([
    [-10, -5],
    [-10, -15],
    [-2, 3],
    [10, 15],
    [10, 5],
  ])('the lift from %d to %d has the sign of the difference', (from, to) => {
    const sample = (m: number) => mean(1000, 1000 * m, 1000 * (m * m + 4));
    const { absolute, relative } = both(sample(from), sample(to));
    expect(Math.sign(relative.difference)).toBe(Math.sign(absolute.difference));
    expect(relative.difference).toBeCloseTo((to - from) / Math.abs(from), 12);
  });
  describe('CUPED of ratios with negative values', () => {
    const dPostA = [1, 2, 1.5, 2.5, 2, 1, 1.5, 2.5];
    const dPreA = [1.5, 1, 2, 2, 2.5, 1, 1, 2];
    const mPostA = [12, 19, 16, 24, 21, 9, 14, 26];
    const mPreA = [16, 11, 21, 19, 26, 11, 9, 21];
    const dPostB = [1.5, 1, 2, 2.5, 1, 2, 2.5, 1.5];
    const dPreB = [1, 1.5, 2, 2.5, 1, 2.5, 2, 1.5];
    const mPreB = [11, 17, 22, 27, 10, 27, 21, 16];
    const sample = (x: number[], y: number[], b: number[], c: number[]): AdjustedRatioSample => ({
      kind: 'adjusted_ratio',
      n: x.length,
      x: sum(x),
      y: sum(y),
      b: sum(b),
      c: sum(c),
      xx: dot(x, x),
      yy: dot(y, y),
      bb: dot(b, b),
      cc: dot(c, c),
      xy: dot(x, y),
      xb: dot(x, b),
      xc: dot(x, c),
      yb: dot(y, b),
      yc: dot(y, c),
      bc: dot(b, c),
    });
    it('mirrors the lift and keeps the standard error', () => {
      const scaled = (values: number[], sign: number) => values.map((v) => sign * v);
      for (const mPostB of [
        [17, 12, 23, 28, 12, 22, 29, 16],
        [14, 9, 17, 23, 9, 18, 22, 13],
      ]) {
        const of = (sign: number) =>
          both(
            sample(scaled(mPostA, sign), dPostA, scaled(mPreA, sign), dPreA),
            sample(scaled(mPostB, sign), dPostB, scaled(mPreB, sign), dPreB),
          ).relative;
        close([of(-1).difference, of(-1).standardError], [-of(1).difference, of(1).standardError], 10);
      }
    });
  });
});

describe('power', () => {
  const baseline = { mean: 10, variance: 3909.9997749994377 };
  const perArm = 400_000 / 3;
  const standardError = Math.sqrt((baseline.variance / perArm) * (1 + 1.05 ** 2)) / 10;
  /** That suite treats a sequential test as a fixed one whose standard error is larger by this factor. */
  const factor = sequentialCritical(2 * perArm, 0.05) / normalCritical(0.025);
  it('of a fixed test', () => {
    close([fixedPower(0.05, standardError, 0.05), fixedPower(0.05, standardError * factor, 0.05)], [0.52144, 0.20596]);
  });
  it('smallest effect that is found in 80 %', () => {
    const options = { alpha: 0.05, power: 0.8 };
    const sequential = { ...baseline, variance: baseline.variance * factor ** 2 };
    close(
      [minimalEffect(baseline, perArm, options) ?? 0, minimalEffect(sequential, perArm, options) ?? 0],
      [0.07027, 0.12821],
    );
    expect(minimalEffect({ mean: 0.01, variance: 100 }, 10, options)).toBeUndefined();
  });
  it('by week: 4,500 units a week in three arms', () => {
    const expected: [number, number][] = [
      [0.073, 0.17053],
      [0.0965, 0.29389],
      [0.1204, 0.41122],
      [0.14458, 0.51749],
      [0.16895, 0.61037],
      [0.19342, 0.68938],
      [0.21791, 0.75513],
      [0.24235, 0.80886],
      [0.26666, 0.85213],
    ];
    const minimal: [number, number][] = [
      [0.36767, 1.26769],
      [0.24505, 0.71941],
      [0.19525, 0.54299],
      [0.16673, 0.4506],
      [0.14774, 0.39208],
      [0.13394, 0.35099],
      [0.12336, 0.32018],
      [0.11491, 0.29603],
      [0.10796, 0.27647],
    ];
    const metrics = [
      { mean: 0.1, variance: 0.09, effect: 0.05 },
      { mean: 0.1, variance: 0.5, effect: 0.3 },
    ];
    expected.forEach((row, week) => {
      const n = 1500 * (week + 1);
      const se = (m: { mean: number; variance: number; effect: number }) =>
        Math.sqrt((m.variance / n) * (1 + (1 + m.effect) ** 2)) / m.mean;
      close(
        metrics.map((m) => fixedPower(m.effect, se(m), 0.05)),
        row,
      );
      close(
        metrics.map((m) => minimalEffect(m, n, { alpha: 0.05, power: 0.8 }) ?? 0),
        minimal[week] ?? [],
      );
    });
  });
  it('by week, sequential', () => {
    const expected = [0.05936, 0.06912, 0.07849, 0.08761, 0.09657, 0.10541, 0.11415, 0.12282, 0.13142];
    const minimal = [0.65545, 0.4112, 0.32394, 0.27607, 0.24484, 0.22241, 0.20532, 0.19172, 0.18058];
    expected.forEach((value, week) => {
      const n = 1500 * (week + 1);
      const wider = sequentialCritical(2 * n, 0.05) / normalCritical(0.025);
      const se = Math.sqrt((0.09 / n) * (1 + 1.05 ** 2)) / 0.1;
      const effect = minimalEffect({ mean: 0.1, variance: 0.09 * wider ** 2 }, n, { alpha: 0.05, power: 0.8 });
      close([fixedPower(0.05, se * wider, 0.05), effect ?? 0], [value, minimal[week] ?? 0]);
    });
  });
  it('of what is left, in the middle of an experiment', () => {
    const { relative } = both(
      mean(500, 499.99999999999994, 1499.999999999999),
      mean(500, 525.0000000000008, 1551.2499999999998),
    );
    close([relative.standardError ** 2], [0.008426853707414856], 10);
    // 25.457 times the present units are still needed
    expect(fixedPower(0.05, relative.standardError / Math.sqrt(26.45703125), 0.05)).toBeCloseTo(0.8, 4);
  });
});

describe('corrections and the sample ratio', () => {
  it('Holm', () => {
    close(holm([0.01, 0.04, 0.03, 0.005, 0.55, 0.6]), [0.05, 0.12, 0.12, 0.03, 1, 1], 12);
  });
  it('Benjamini and Hochberg', () => {
    close(
      benjaminiHochberg([0.898, 0.138, 0.007, 0.964, 0.538, 0.006, 0.138]),
      [0.964, 0.2415, 0.0245, 0.964, 0.7532, 0.0245, 0.2415],
      8,
    );
  });
  it('sequential sample ratio', () => {
    expect(sampleRatio([500, 500], [0.5, 0.5]).pValue).toBeGreaterThan(0.05);
    expect(sampleRatio([100, 900], [0.5, 0.5]).pValue).toBeLessThan(0.05);
    expect(sampleRatio([0, 0], [0.5, 0.5]).pValue).toBe(1);
  });
});

describe('post-stratification', () => {
  // n, Σx, Σx², Σy, Σy², Σxy of control and treatment in five strata
  const strata: [number[], number[]][] = [
    [
      [21, 330.0696210595999, 5377.811252605509, 890.9766550739607, 38220.95223835553, 14263.937571840695],
      [42, 708.1220000911836, 12249.255519049513, 1745.9858250014954, 73194.53424221886, 29826.620793423102],
    ],
    [
      [65, 1391.96628040659, 30546.63404187155, 2769.8126179473184, 118719.96077578884, 59924.702385890436],
      [75, 1807.4703052657744, 45000.287664918586, 3184.8395612061063, 136710.92474497214, 78119.14871556411],
    ],
    [
      [102, 2916.824124651419, 86396.06886690554, 4445.780384331884, 195387.7733842407, 129041.55268673625],
      [101, 3104.5399914554023, 98365.40553530994, 4235.277718489282, 179690.4720421368, 132444.36911739354],
    ],
    [
      [151, 5172.587929941052, 182453.04528037464, 6510.170220892494, 283094.7243365024, 226127.20135744457],
      [121, 4613.696610070716, 180520.64781229294, 5079.943060454901, 215529.32009367683, 196562.8269130501],
    ],
    [
      [160, 6539.348445231273, 274981.98909352464, 6906.305872710853, 300900.3106781779, 286483.9732935189],
      [162, 7431.953259880505, 349244.6690736718, 6899.004661928157, 296839.44355002965, 321057.8410309036],
    ],
  ];
  const count = ([n = 0, x = 0, xx = 0]: number[]) => mean(n, x, xx);
  const ratio = ([n = 0, x = 0, xx = 0, y = 0, yy = 0, xy = 0]: number[]) =>
    ({ kind: 'ratio', n, x, xx, y, yy, xy }) as const;
  it('of means', () => {
    const result = stratifiedEffects(strata.map(([c, t]) => ({ control: count(c), treatment: count(t) })));
    if (result?.relative === undefined) throw new Error('no effects');
    close(shown(result.absolute), [3.548094377986586, 0.37634374823059685], 10);
    close(shown(result.relative), [0.10994584851937336, 0.012225394656480164], 10);
  });
  it('of ratios', () => {
    const result = stratifiedEffects(strata.map(([c, t]) => ({ control: ratio(c), treatment: ratio(t) })));
    if (result?.relative === undefined) throw new Error('no effects');
    close(shown(result.absolute), [0.10008903417216031, 0.005071004003792392], 10);
    close(shown(result.relative), [0.13371299783026003, 0.007131233706378072], 10);
  });
  it('of one stratum is the effect without it', () => {
    expect(stratifiedEffects([{ control: a3407, treatment: b3461 }])).toEqual(effects(a3407, b3461));
  });
  it('joins strata without a variance with the largest', () => {
    const empty = { control: mean(0, 0, 0), treatment: mean(3, 1, 1) };
    expect(stratifiedEffects([{ control: a3407, treatment: b3461 }, empty])).toEqual(
      effects(a3407, mean(3464, 2423.7, 134699.29)),
    );
  });
});
