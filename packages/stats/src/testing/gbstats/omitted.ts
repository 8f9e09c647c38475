import type { Omitted } from './facts.ts';

const noBandits = 'there are no bandits here: the weights of an experiment are those that a person set';
const noFrames = 'builds a data frame; here the store adds up the sums of an arm';
const noResponse = 'a setting that analyses the values from before instead of the metric; here they only adjust it';
const typed = 'the compiler refuses to add quantiles, so there is no error to test';
const rows = 'compares two ways through its own data frames, with random numbers';

/** Functions of the suite that test no number which could be ours. */
export const omitted: readonly Omitted[] = [
  { of: 'test_devtools.py::TestCreateRows::test_count_metric', because: rows },
  { of: 'test_devtools.py::TestCreateRows::test_ratio_adjusted_regression_metric', because: rows },
  ...[
    'floor_is_additive_on_the_simplex',
    'zero_floor_is_pure_thompson',
    'floor_too_large_falls_back_to_uniform',
    'negative_floor_is_clamped_to_zero',
  ].map((name) => ({ of: `test_gbstats.py::TestBanditMinVariationWeightFloor::test_${name}`, because: noBandits })),
  { of: 'test_gbstats.py::TestGetMetricDf::test_get_metric_dfs_missing_count', because: noFrames },
  { of: 'test_gbstats.py::TestVariationStatisticBuilder::test_ra_statistic_type', because: noFrames },
  {
    of: 'test_gbstats.py::TestDetectVariations::test_unknown_variations',
    because: 'names found in data frames; here the store reads only the arms of the experiment',
  },
  {
    of: 'test_gbstats.py::TestDetectVariations::test_multiple_exposures',
    because: 'names found in data frames; here units in several arms are counted and left out by the store',
  },
  ...[
    'no_covariates',
    'use_covariate_as_response_ra_proportion',
    'use_covariate_as_response_ra_count',
    'use_covariate_as_response_ra_ratio',
  ].map((name) => ({ of: `test_gbstats.py::TestUseCovariateAsResponse::test_${name}`, because: noResponse })),
  {
    of: 'test_gbstats.py::TestProcessAnalysis::test_process_analysis_denominator',
    because: 'copies a column of its data frame to the answer',
  },
  { of: 'test_shared_models.py::TestSumStats::test_quantile_success', because: typed },
  { of: 'test_shared_models.py::TestSumStats::test_quantile_failure', because: typed },
  ...['last 3 days', 'last 3 days with missing dates'].map((name) => ({
    of: `power.test.ts::getAverageExposureOverLastNDays::should get average exposure over ${name}`,
    because: 'averages the traffic of calendar days; here it is the units so far by the time so far',
  })),
];
