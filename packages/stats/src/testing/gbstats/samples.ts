import { type Effects, effects, relativeEffect } from '../../effect.ts';
import { type Estimate, estimate, pooledTheta } from '../../estimate.ts';
import type { AdjustedRatioSample, AdjustedSample, MeanSample, QuantileSample, RatioSample } from '../../sample.ts';
import { addSamples, moments } from '../../sample.ts';
import { both, equal, holds, mean, proportion, type Reproduced, spread, valued } from './facts.ts';

const one = [0.3, 0.5, 0.9, 22];
const three = [2, 1, 5, 3];
const sum = (values: readonly number[]) => values.reduce((total, v) => total + v, 0);
const dot = (left: readonly number[], right: readonly number[]) => sum(left.map((v, i) => v * (right[i] ?? 0)));
const average = (values: readonly number[]) => sum(values) / values.length;
/** As numpy computes it from the values themselves. */
const covarianceOf = (left: readonly number[], right: readonly number[]) =>
  sum(left.map((v, i) => (v - average(left)) * ((right[i] ?? 0) - average(right)))) / (left.length - 1);

const ofOne = (n: number) => mean(n, sum(one), dot(one, one));
const ratio: RatioSample = {
  kind: 'ratio',
  n: 4,
  x: sum(one),
  xx: dot(one, one),
  y: sum(three),
  yy: dot(three, three),
  xy: dot(one, three),
};
const adjusted: AdjustedSample = {
  kind: 'adjusted',
  n: 4,
  x: sum(three),
  xx: dot(three, three),
  b: sum(one),
  bb: dot(one, one),
  xb: dot(one, three),
};
const quantile = (n: number, lower: number, upper: number): QuantileSample => ({
  kind: 'quantile',
  level: 0.9,
  n,
  value: 5,
  lower,
  upper,
});
const hasVariance = (sample: QuantileSample) => estimate(sample).variance > 0;
const apart = (from: number, to: number) => both(spread(1000, from, 4), spread(1000, to, 4));
const lift = (from: number, to: number) => apart(from, to).relative.difference;
const step = (from: number, to: number) => apart(from, to).absolute.difference;
const numbersOf = ({ n, x, xx }: MeanSample) => [n, x, xx];

const ratioOf = (x: number[], y: number[], b: number[], c: number[]): AdjustedRatioSample => ({
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
/** Lift and standard error of the suite's ratios with θ = ½, with all numerators times a sign. */
function signed(sign: number, postB: readonly number[]): number[] {
  const times = (values: readonly number[]) => values.map((v) => sign * v);
  const a = ratioOf(
    times([12, 19, 16, 24, 21, 9, 14, 26]),
    [1, 2, 1.5, 2.5, 2, 1, 1.5, 2.5],
    times([16, 11, 21, 19, 26, 11, 9, 21]),
    [1.5, 1, 2, 2, 2.5, 1, 1, 2],
  );
  const b = ratioOf(
    times(postB),
    [1.5, 1, 2, 2.5, 1, 2, 2.5, 1.5],
    times([11, 17, 22, 27, 10, 27, 21, 16]),
    [1, 1.5, 2, 2.5, 1, 2.5, 2, 1.5],
  );
  const found = relativeEffect(estimate(a, 0.5), estimate(b, 0.5));
  return [found?.difference ?? Number.NaN, found?.standardError ?? Number.NaN];
}
const improving = [17, 12, 23, 28, 12, 22, 29, 16];
const declining = [14, 9, 17, 23, 9, 18, 22, 13];
const opposite = ([difference = 0, error = 0]: readonly number[]) => [-difference, error];

const refused = (result: Effects | undefined) => holds(result === undefined);
const difference = (a: Estimate, b: Estimate) => relativeEffect(a, b)?.difference ?? Number.NaN;

const file = 'test_shared_models.py::Test';
const utils = 'test_utils.py::TestFrequentistDiff::test';
export const samples: readonly Reproduced[] = [
  {
    of: `${file}SampleMeanStatistic::test_sample_mean_statistic`,
    facts: () => {
      const { value, variance, plain } = estimate(ofOne(4));
      return equal([value, variance, plain], [average(one), covarianceOf(one, one), value], 1e-10);
    },
  },
  {
    of: `${file}SampleMeanStatistic::test_sample_mean_statistic_low_n`,
    facts: () => equal([estimate(ofOne(1)).variance], [0], 0),
  },
  {
    of: `${file}ProportionStatistic::test_proportion_statistic`,
    facts: () => {
      const { value, variance, plain } = estimate(proportion(4, 3));
      return equal([value, variance, plain], [0.75, 0.1875, 0.75], 1e-15);
    },
  },
  {
    of: `${file}RatioStatistic::test_ratio_statistic_statistic_covariance`,
    facts: () => {
      const { value, plain } = estimate(ratio);
      const covariance = moments(ratio).covariance[0]?.[1] ?? Number.NaN;
      return equal([covariance, value, plain], [covarianceOf(one, three), sum(one) / sum(three), value], 1e-10);
    },
  },
  {
    of: `${file}RatioStatistic::test_ratio_denom_zero`,
    facts: () => equal([estimate({ ...ratio, y: 0 }).variance], [0], 0),
  },
  {
    of: `${file}RegressionAdjustedStatistic::test_regression_adjusted_statistic`,
    facts: () => {
      const plain = estimate(adjusted, 0);
      const found = estimate(adjusted, 0.23);
      return [
        ...equal(
          [plain.value, plain.variance, found.plain],
          [average(three), covarianceOf(three, three), average(three)],
          1e-10,
        ),
        ...holds(found.value !== found.plain, found.variance !== plain.variance),
      ];
    },
  },
  {
    of: `${file}RegressionAdjustedStatistic::test_regression_adjusted_small_n`,
    facts: () => equal([estimate({ ...adjusted, n: 1 }, 0.3).variance], [0], 0),
  },
  {
    of: `${file}ComputeTheta::test_returns_0_no_variance`,
    facts: () => {
      const none = { ...adjusted, b: 0, bb: 0, xb: 0 };
      return [...equal([pooledTheta(adjusted, adjusted)], [0.01864]), ...equal([pooledTheta(none, none)], [0], 0)];
    },
  },
  {
    of: `${file}SumStats::test_sum_correct`,
    facts: () => {
      const a = [mean(500, 10, 75), mean(500, 40, 73), mean(500, 10, 75), mean(500, 40, 73)];
      const b = [mean(500, 4, 7), mean(500, 20, 13), mean(500, 4, 7), mean(500, 20, 13)];
      const total = (parts: readonly MeanSample[]) => numbersOf(parts.reduce(addSamples));
      return [...equal(total(a), [2000, 100, 296], 0), ...equal(total(b), [2000, 48, 40], 0)];
    },
  },
  {
    of: `${file}QuantileStatisticZeroVariance::test_collapsed_bounds_large_n_has_zero_variance`,
    facts: () => holds(!hasVariance(quantile(60_000_000, 5, 5))),
  },
  {
    of: `${file}QuantileStatisticZeroVariance::test_collapsed_bounds_small_n_has_zero_variance`,
    facts: () => holds(!hasVariance(quantile(999, 5, 5))),
  },
  {
    of: `${file}QuantileStatisticZeroVariance::test_distinct_bounds_no_zero_variance`,
    facts: () => holds(hasVariance(quantile(60_000_000, 4.99, 5.01))),
  },
  {
    of: `${file}QuantileStatisticZeroVariance::test_collapsed_bounds_returns_error_message`,
    facts: () => refused(effects(quantile(60_000_000, 5, 5), quantile(60_000_000, 4.99, 5.01))),
  },
  {
    of: `${file}EffectMomentsResult::test_negative_variance`,
    facts: () => {
      const a: AdjustedSample = { kind: 'adjusted', n: 4, x: -7, xx: -7, b: 0, bb: 0, xb: 0 };
      const b: AdjustedSample = { kind: 'adjusted', n: 3, x: 1, xx: 1, b: 1, bb: 1, xb: 1 };
      return refused(effects(a, b));
    },
    note: 'no result; the negative variance itself, of −7 conversions of 4 units, is divided by n there and by n − 1 here',
  },
  {
    of: `${file}EffectMomentsNegativeBaseline::test_relative_sign_matches_absolute_sign`,
    facts: () =>
      (
        [
          [-10, -5],
          [-10, -15],
          [-2, 3],
          [10, 15],
          [10, 5],
        ] as const
      ).flatMap(([from, to]) => equal([Math.sign(lift(from, to))], [Math.sign(step(from, to))], 0)),
  },
  {
    of: `${file}EffectMomentsNegativeBaseline::test_relative_magnitude_scaled_by_baseline_magnitude`,
    facts: () => [...equal([lift(-10, -5)], [0.5], 1e-12), ...holds(apart(-10, -5).relative.standardError > 0)],
  },
  {
    of: `${file}EffectMomentsCupedRatioNegativeBaseline::test_negating_the_metric_negates_lift_and_keeps_standard_error`,
    facts: () => [
      ...equal(signed(1, improving), [0.103928, 0.0286196], 5e-8),
      ...equal(signed(-1, improving), opposite(signed(1, improving)), 1e-12),
      ...equal(signed(1, declining), [-0.1372068, 0.0223934], 5e-8),
      ...equal(signed(-1, declining), opposite(signed(1, declining)), 1e-12),
    ],
  },
  {
    of: `${utils}_absolute_is_plain_difference`,
    facts: () => equal([step(-10, -5), step(10, 15)], [5, 5], 1e-12),
  },
  {
    of: `${utils}_relative_positive_baseline`,
    facts: () => equal([lift(10, 15), lift(10, 5)], [0.5, -0.5], 1e-12),
  },
  {
    of: `${utils}_relative_negative_baseline_keeps_direction`,
    facts: () => equal([lift(-10, -5), lift(-10, -15), lift(-2, 3)], [0.5, -0.5, 2.5], 1e-12),
  },
  {
    of: `${utils}_relative_uses_unadjusted_baseline_magnitude`,
    facts: () => equal([difference(valued(-9, -10), valued(-4))], [0.5], 1e-12),
  },
];
