import { posterior } from '../../bayesian.ts';
import { compare, summarize } from '../../compare.ts';
import { estimate, pooledTheta } from '../../estimate.ts';
import { fixedTest } from '../../fixed.ts';
import type { AdjustedSample, RatioSample, Sample } from '../../sample.ts';
import { addSamples } from '../../sample.ts';
import { sequentialTest } from '../../sequential.ts';
import { both, equal, type Fact, holds, mean, NINE_DECIMALS, type Reproduced } from './facts.ts';
import { ratioControl, ratioTreatment } from './samples-of-ratios.ts';

const control = mean(100, 270, 848.79);
const treatment = mean(120, 300, 869);
const ofRatio = (n: number, x: number, xx: number, y: number, yy: number, xy: number): RatioSample => ({
  kind: 'ratio',
  ...{ n, x, xx, y, yy, xy },
});
const baseRatio = ofRatio(100, 270, 848.79, 510, 810, -900);
const newRatio = ofRatio(120, 300, 869, 500, 800, -905);
const ofAdjusted = (n: number, x: number, xx: number, b: number, bb: number, xb: number): AdjustedSample => ({
  kind: 'adjusted',
  ...{ n, x, xx, b, bb, xb },
});
const zero = ofAdjusted(3001, 300, 600, 210, 415, -20);
const first = ofAdjusted(3000, 222, 555, 120, 405, -10);
const second = ofAdjusted(4000, 450, 900, 300, 600, -30);
/** Conversions: a unit's square is its value. */
const ofConversions = (sample: AdjustedSample): AdjustedSample => ({ ...sample, xx: sample.x, bb: sample.b });

/** The arms' values as they are shown: without adjustment. */
const shown = (...arms: readonly Sample[]) => arms.map((arm) => summarize(arm).mean ?? Number.NaN);
/** Risk of choosing the treatment, lift and chance to win, of the relative effect under a flat prior. */
function believed(a: Sample, b: Sample, lowerIsBetter = false): number[] {
  const { risk, mean: lift, chanceToWin } = posterior(both(a, b).relative, 0.05, { lowerIsBetter });
  return [risk.treatment, lift, chanceToWin];
}
function tested(a: Sample, b: Sample): number[] {
  const { relative } = both(a, b);
  return [relative.difference, fixedTest(relative, 0.05).pValue];
}
/** The arms' values, and that there is no result. */
function refused(a: Sample, b: Sample, expected: readonly number[]): Fact[] {
  const found = (['frequentist', 'bayesian'] as const).map((engine) =>
    compare(a, b, { engine, alpha: 0.05, sequential: false }),
  );
  return [
    ...equal(shown(a, b), expected, NINE_DECIMALS),
    ...holds(...found.map(({ reason, absolute }) => reason === 'no_variance' && absolute === undefined)),
  ];
}
/** Deviation of a unit, with the θ of these two arms. */
const deviation = (arm: AdjustedSample, pair: readonly [AdjustedSample, AdjustedSample]) =>
  Math.sqrt(estimate(arm, pooledTheta(...pair)).variance);

const oneUser = [mean(3, 20, 443), mean(1, 1, 1)] as const;
const noDenominator = ofRatio(100, 270, 848.79, 0, 0, 0);
const ofLift = (): Fact[] => [
  ...equal(shown(zero, first), [0.099966678, 0.074], NINE_DECIMALS),
  ...equal(tested(zero, first), [-0.281707154, 0.003732549], NINE_DECIMALS),
];
const ofConversionLift = (): Fact[] => {
  const [a, b] = [ofConversions(zero), ofConversions(first)];
  return [
    ...equal(shown(a, b), [0.099966678, 0.074], NINE_DECIMALS),
    ...equal(tested(a, b), [-0.31620216, 0.000000353], 5e-9),
  ];
};
const ofRatioLift = (): Fact[] => [
  ...equal(shown(ratioControl, ratioTreatment), [0.713495487, 0.729754963], NINE_DECIMALS),
  ...equal(tested(ratioControl, ratioTreatment), [-0.000701483, 0.857710405], NINE_DECIMALS),
];
const ofConversionsNote =
  'the p-value of 3.5e-7 to 8 decimals: variances of conversions are divided by n there, by n − 1 here';
const noResult = 'no result, where gbstats writes 0 and p = 1 or a chance of ½';
const sums = ({ n, x, xx, y, yy, xy }: RatioSample) => [n, x, xx, y, yy, xy];
const short = (tunedFor: number) => sequentialTest(both(control, treatment).relative, 0.05, 'both', tunedFor);

const file = 'test_gbstats.py::Test';
export const metrics: readonly Reproduced[] = [
  {
    of: `${file}ReduceDimensionality::test_reduce_dimensionality`,
    facts: () => {
      const b = addSamples(treatment, mean(220, 770, 3571));
      const a = addSamples(control, mean(200, 740, 3615.59));
      return equal([b.x, b.xx, b.n, a.n, a.x, a.xx], [1070, 4440, 340, 300, 1010, 4464.38], 1e-10);
    },
    note: 'the sums; how many dimensions are shown is the business of the results',
  },
  {
    of: `${file}ReduceDimensionality::test_reduce_dimensionality_ratio`,
    facts: () => [
      ...equal(
        sums(addSamples(newRatio, newRatio)),
        sums(newRatio).map((v) => 2 * v),
        1e-10,
      ),
      ...equal(
        sums(addSamples(baseRatio, baseRatio)),
        sums(baseRatio).map((v) => 2 * v),
        1e-10,
      ),
    ],
    note: 'the sums, as above',
  },
  {
    of: `${file}AnalyzeMetricDfBayesian::test_get_metric_dfs_new`,
    facts: () => [
      ...equal(shown(control, treatment), [2.7, 2.5], NINE_DECIMALS),
      ...equal(believed(control, treatment), [0.075691131, -0.074074074, 0.071834168], NINE_DECIMALS),
    ],
  },
  {
    of: `${file}AnalyzeMetricDfBayesian::test_get_metric_dfs_bayesian_ratio`,
    facts: () => [
      ...equal(shown(baseRatio, newRatio), [0.529411765, 0.6], NINE_DECIMALS),
      ...equal(believed(baseRatio, newRatio), [0.050934045, 0.133333333, 0.694926359], NINE_DECIMALS),
    ],
  },
  {
    of: `${file}AnalyzeMetricDfBayesian::test_get_metric_dfs_inverse`,
    facts: () => [
      ...equal(shown(control, treatment), [2.7, 2.5], NINE_DECIMALS),
      ...equal(believed(control, treatment, true), [0.001617057, -0.074074074, 1 - 0.071834168], NINE_DECIMALS),
    ],
  },
  {
    of: `${file}AnalyzeMetricDfBayesian::test_get_metric_dfs_zero_val`,
    facts: () => refused(...oneUser, [6.666666667, 1]),
    note: noResult,
  },
  {
    of: `${file}AnalyzeMetricDfBayesian::test_get_metric_dfs_ratio_zero_denom`,
    facts: () => refused(noDenominator, newRatio, [0, 0.6]),
    note: noResult,
  },
  {
    of: `${file}AnalyzeMetricDfFrequentist::test_get_metric_dfs_frequentist`,
    facts: () => [
      ...equal(shown(control, treatment), [2.7, 2.5], NINE_DECIMALS),
      ...equal(tested(control, treatment), [-0.074074074, 0.145219005], NINE_DECIMALS),
    ],
  },
  {
    of: `${file}AnalyzeMetricDfFrequentist::test_get_metric_dfs_frequentist_ratio`,
    facts: () => [
      ...equal(shown(baseRatio, newRatio), [0.529411765, 0.6], NINE_DECIMALS),
      ...equal(tested(baseRatio, newRatio), [0.133333333, 0.610663339], NINE_DECIMALS),
    ],
  },
  {
    of: `${file}AnalyzeMetricDfFrequentist::test_get_metric_dfs_zero_val`,
    facts: () => refused(...oneUser, [6.666666667, 1]),
    note: noResult,
  },
  {
    of: `${file}AnalyzeMetricDfFrequentist::test_get_metric_dfs_ratio_zero_denom`,
    facts: () => refused(noDenominator, newRatio, [0, 0.6]),
    note: noResult,
  },
  { of: `${file}AnalyzeMetricDfRegressionAdjustment::test_analyze_metric_df_ra`, facts: ofLift },
  {
    of: `${file}AnalyzeMetricDfRegressionAdjustment::test_analyze_metric_df_ra_proportion`,
    facts: ofConversionLift,
    note: ofConversionsNote,
  },
  { of: `${file}AnalyzeMetricDfRegressionAdjustment::test_analyze_metric_df_ratio_ra`, facts: ofRatioLift },
  {
    of: `${file}UseCovariateAsResponse::test_analyze_metric_df_ra_proportion`,
    facts: ofConversionLift,
    note: ofConversionsNote,
  },
  { of: `${file}UseCovariateAsResponse::test_analyze_metric_df_ratio_ra`, facts: ofRatioLift },
  {
    of: `${file}AnalyzeMetricDfSequential::test_analyze_metric_df_sequential`,
    facts: () => {
      const { interval, pValue } = short(600);
      return [
        ...equal(shown(control, treatment), [2.7, 2.5], NINE_DECIMALS),
        ...equal(
          [both(control, treatment).relative.difference, pValue, interval[0]],
          [-0.074074074, 0.892332229, -0.233322085],
          NINE_DECIMALS,
        ),
        ...holds(interval[0] > short(1).interval[0]),
      ];
    },
  },
  {
    of: `${file}ThreeArmedCuped::test_three_armed_cuped_baseline_stats_hardcoded`,
    facts: () => [
      ...equal(shown(zero, first, second), [0.099966678, 0.074, 0.1125], NINE_DECIMALS),
      ...equal(
        [deviation(zero, [zero, second]), deviation(first, [zero, first]), deviation(second, [zero, second])],
        [0.434288923, 0.423529598, 0.458953951],
        NINE_DECIMALS,
      ),
    ],
  },
  {
    of: `${file}ThreeArmedCuped::test_three_armed_cuped_baseline_stddev_different_from_no_cuped`,
    facts: () => [
      ...holds(deviation(zero, [zero, second]) !== Math.sqrt(estimate(mean(3001, 300, 600)).variance)),
      ...equal(shown(zero), shown(mean(3001, 300, 600)), 0),
    ],
  },
  {
    of: `${file}ThreeArmedCuped::test_three_armed_cuped_baseline_stats_same_as_0_vs_2`,
    facts: () => equal([...shown(zero), deviation(zero, [zero, second])], [0.099966678, 0.434288923], NINE_DECIMALS),
  },
];
