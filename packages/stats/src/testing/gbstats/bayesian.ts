import { type Posterior, type Prior, posterior } from '../../bayesian.ts';
import { compare } from '../../compare.ts';
import type { Effect } from '../../effect.ts';
import type { QuantileSample } from '../../sample.ts';
import { millsRatio, normalDensity } from '../../special/normal.ts';
import { both, equal, holds, mean, proportion, type Reproduced, Z } from './facts.ts';

const told = ({ mean: expected, interval, standardDeviation, chanceToWin, risk }: Posterior) => [
  expected,
  ...interval,
  standardDeviation,
  chanceToWin,
  risk.control,
  risk.treatment,
];
const control = mean(10, 100, 1002.25);
const treatment = mean(10, 105, 1111.5);

const center = { control: 7.157987489967789, treatment: 7.694499927525767 };
const quantile = (n: number, value: number, lower: number, upper: number): QuantileSample => ({
  kind: 'quantile',
  level: 0.9,
  n,
  value,
  lower,
  upper,
});
const narrow = both(
  quantile(11054, center.control, 7.098780136176828, 7.217194843758751),
  quantile(10861, center.treatment, 7.64180598628119, 7.747193868770344),
);
const wide = both(
  quantile(11054, center.control, center.control - 1, center.control + 1),
  quantile(10861, center.treatment, center.treatment - 1, center.treatment + 1),
);
const interval = (effect: Effect, prior?: Prior) => {
  const believed = posterior(effect, 0.05, prior && { prior });
  return [believed.mean, ...believed.interval];
};
/** gbstats' priors are of the relative effect; ours of the scale at hand. */
const scaled = (variance: number): Prior => ({ mean: 0, variance: variance * center.control ** 2 });

/** P(X > 0)·E(X | X > 0) of a normal X, by Simpson's rule. */
function integratedRisk(m: number, sd: number): number {
  const steps = 4_000;
  const high = Math.max(0, m) + 12 * sd;
  const h = high / steps;
  let sum = 0;
  for (let i = 0; i <= steps; i += 1) {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    sum += ((weight * i * h * normalDensity((i * h - m) / sd)) / sd) * (h / 3);
  }
  return sum;
}

const risk = (difference: number, standardError: number) => {
  const { control, treatment } = posterior({ difference, standardError, df: 100, n: 100 }, 0.05).risk;
  return [control, treatment];
};
const chance = (effect: Effect, prior: Prior) => posterior(effect, 0.05, { prior }).chanceToWin;
const options = { engine: 'bayesian', alpha: 0.05, sequential: false } as const;
const noResult = 'no result, where gbstats writes 0 and a chance of ½';

const file = 'bayesian/test_tests.py::Test';
const utils = 'test_utils.py::TestTruncatedNormalMean::test';
export const bayesian: readonly Reproduced[] = [
  {
    of: `${file}Binom::test_bayesian_binomial_ab_test`,
    facts: () =>
      equal(
        told(posterior(both(proportion(100, 49), proportion(100, 51)).relative, 0.05)),
        [0.04082, -0.24779, 0.32943, 0.14725, 0.60918, 0.0814, 0.04058],
      ),
  },
  {
    of: `${file}Binom::test_missing_data`,
    facts: () => {
      const { reason, bayesian } = compare(proportion(0, 0), proportion(0, 0), options);
      return holds(reason === 'no_variance', bayesian === undefined);
    },
    note: noResult,
  },
  {
    of: `${file}Norm::test_bayesian_gaussian_ab_test`,
    facts: () =>
      equal(
        told(posterior(both(control, treatment).relative, 0.05)),
        [0.05, -0.02, 0.12, 0.03572, 0.91923, 0.05131, 0.00131],
      ),
  },
  {
    of: `${file}Norm::test_bayesian_gaussian_ab_test_informative`,
    facts: () =>
      equal(
        told(posterior(both(control, treatment).relative, 0.05, { prior: { mean: 0.1, variance: 0.1 } })),
        [0.05063, -0.01893, 0.12019, 0.03549, 0.92315, 0.05186, 0.00123],
      ),
  },
  {
    of: `${file}Norm::test_missing_data`,
    facts: () => {
      const { reason, bayesian } = compare(mean(0, 0, 0), mean(0, 0, 0), options);
      return holds(reason === 'no_variance', bayesian === undefined);
    },
    note: noResult,
  },
  {
    of: `${file}EffectBayesianABTest::test_bayesian_effect_ab_test`,
    facts: () => {
      const { absolute, relative } = narrow;
      const flat = { mean: 0, variance: 1e6 };
      const believed = posterior(wide.absolute, 0.05, { prior: scaled(1e6) });
      const sd = (believed.interval[1] - believed.interval[0]) / (2 * Z);
      return [
        ...equal(interval(absolute), [0.5365124375579775, 0.4572559589115422, 0.6157689162044128], 1e-12),
        ...equal(interval(absolute, scaled(1e6)), [0.536512437540855, 0.4572559588956844, 0.6157689161860256], 1e-12),
        ...equal(interval(relative, flat), [0.07495297222736319, 0.06341005842481906, 0.08649588602990732], 1e-12),
        ...equal(interval(absolute, scaled(1)), [0.536495315442269, 0.4572401014910488, 0.6157505293934892], 1e-12),
        ...equal(
          interval(relative, { mean: 0, variance: 1 }),
          [0.07495037261804469, 0.06340765898986044, 0.08649308624622894],
          1e-12,
        ),
        // The suite compares the risk with ten million random numbers; here the integral stands for them
        ...equal(
          [believed.risk.control, believed.risk.treatment],
          [integratedRisk(believed.mean, sd), integratedRisk(-believed.mean, sd)],
          1e-9,
        ),
      ];
    },
  },
  {
    of: `${file}GaussianEffectRelativeAbsolutePriors::test_bayesian_effect_relative_effect`,
    facts: () => {
      const { absolute, relative } = both(mean(100, 1000, 200_000), mean(100, 1100, 200_005));
      const ofRelative = chance(relative, { mean: 1, variance: 1 });
      return equal([chance(absolute, { mean: 10, variance: 100 })], [ofRelative], 5e-3);
    },
  },
  {
    of: `${file}GetRiskNumericalStability::test_extreme_mu_over_sigma_no_overflow`,
    facts: () => equal([...risk(0.01, 4.5e-9), ...risk(-0.01, 4.5e-9)], [0.01, 0, 0, 0.01], 1e-15),
  },
  {
    of: `${file}GetRiskNumericalStability::test_normal_inputs_bit_exact_regression`,
    facts: () => equal(risk(0.1, 0.05), [0.1004245351308, 0.0004245351308414], 1e-12),
  },
  {
    of: `${utils}_matches_scipy_below_threshold`,
    facts: () => {
      const at = (z: number) => risk(z, 1)[1] ?? Number.NaN;
      // mpmath: φ(10) − 10·Φ(−10); beyond 38 standard deviations it is below the smallest number
      return [...equal([at(10) / 7.474560254589328e-25], [1], 1e-12), ...equal([at(100), at(999)], [0, 0], 0)];
    },
    note: 'as the risk, which is the mean of the tail times its probability',
  },
  {
    of: `${utils}_mills_asymptotic_extreme_beta`,
    // E(X | X < 0) → −σ/z far out, that is, the tail by the density → 1/z
    facts: () =>
      [1e3, 1e6, 1e9, 2.4e9].flatMap((z) => [...equal([z * millsRatio(z)], [1], 1.1e-6), ...holds(millsRatio(z) > 0)]),
    note: 'as the ratio of tail and density, from which the risk is computed',
  },
  { of: `${utils}_no_overflow_at_repro_point`, facts: () => holds(...risk(0.01, 4.5e-9).map(Number.isFinite)) },
];
