import { compare } from '../../compare.ts';
import type { Effect } from '../../effect.ts';
import { fixedTest, type Side } from '../../fixed.ts';
import type { AdjustedSample } from '../../sample.ts';
import { sequentialTest } from '../../sequential.ts';
import { both, equal, holds, mean, proportion, type Reproduced } from './facts.ts';
import { ratioControl, ratioTreatment } from './samples-of-ratios.ts';

const a3407 = mean(3407, 1396.87, 52377.9767);
const a3000 = mean(3000, 1396.87, 52377.9767);
const b3461 = mean(3461, 2422.7, 134698.29);
const before = { n: 3000, b: 16.87, bb: 527.9767, xb: 1 };
const adjusted: AdjustedSample = { ...a3000, ...before, kind: 'adjusted' };
const adjustedTreatment: AdjustedSample = { ...b3461, b: 22.7, bb: 1348.29, xb: 1, kind: 'adjusted' };
const { absolute, relative } = both(a3000, b3461);

const shown = ({ difference, standardError }: Effect) => [difference, standardError];
function fixed(effect: Effect, side?: Side): number[] {
  const { interval, pValue } = fixedTest(effect, 0.05, side);
  return [...shown(effect), ...interval, pValue];
}
function sequential(effect: Effect, side?: Side, tunedFor?: number): number[] {
  const { interval, pValue } = sequentialTest(effect, 0.05, side, tunedFor);
  return [...shown(effect), ...interval, pValue];
}
function width(tunedFor: number): number {
  const [low, high] = sequentialTest(relative, 0.05, 'both', tunedFor).interval;
  return high - low;
}

const LIFT = [0.5033610858562358, 0.3334122146400735];
const DIFFERENCE = [0.23437666666666668, 0.12983081254184736];
const NEVER = Number.POSITIVE_INFINITY;
const searched = 'gbstats stops its search for the p-value at .4999; ours continues to 1';

const file = 'frequentist/test_tests.py::Test';
export const frequentist: readonly Reproduced[] = [
  {
    of: `${file}TwoSidedTTest::test_two_sided_ttest`,
    facts: () => equal(fixed(both(a3407, b3461).relative), [0.70732, 0.37879, -0.03526, 1.44989, 0.06191]),
  },
  {
    of: `${file}TwoSidedTTest::test_two_sided_ttest_absolute`,
    facts: () => equal(fixed(both(a3407, b3461).absolute), [0.29, 0.12478, 0.04538, 0.53462, 0.02016]),
  },
  {
    of: `${file}TwoSidedTTest::test_two_sided_ttest_binom`,
    facts: () =>
      equal(
        fixed(both(proportion(28, 14), proportion(30, 16)).relative),
        [0.06667, 0.2717, -0.47767, 0.61101, 0.80707],
      ),
  },
  {
    of: `${file}TwoSidedTTest::test_two_sided_ttest_missing_variance`,
    facts: () => {
      const options = { engine: 'frequentist', alpha: 0.05, sequential: false } as const;
      const { reason, absolute } = compare(mean(2, 1396.87, 52377.9767), b3461, options);
      return holds(reason === 'no_variance', absolute === undefined);
    },
    note: 'no result, where gbstats writes 0 and p = 1',
  },
  {
    of: `${file}TwoSidedTTest::test_two_sided_ttest_test_runs_ratio_ra`,
    facts: () =>
      equal(fixed(both(ratioControl, ratioTreatment).relative), [-0.0007, 0.00391, -0.00841, 0.007, 0.85771]),
  },
  {
    of: `${file}SequentialTTest::test_sequential_test_runs`,
    facts: () => equal(sequential(relative, 'both', 1000), [0.50336, 0.33341, -0.55844, 1.56516, 1]),
  },
  {
    of: `${file}SequentialTTest::test_sequential_test_runs_prop`,
    facts: () =>
      equal(
        sequential(both(proportion(3000, 1396), proportion(3461, 2422)).relative),
        [0.50386, 0.03386, 0.40098, 0.60675, 0],
      ),
  },
  {
    of: `${file}SequentialTTest::test_sequential_test_runs_ra`,
    facts: () =>
      equal(sequential(both(adjusted, adjustedTreatment).relative), [0.50338, 0.33341, -0.50969, 1.51646, 1]),
  },
  {
    of: `${file}SequentialTTest::test_sequential_test_runs_ratio_ra`,
    facts: () =>
      equal(sequential(both(ratioControl, ratioTreatment).relative), [-0.0007, 0.00391, -0.02063, 0.01923, 1]),
  },
  {
    of: `${file}SequentialTTest::test_sequential_test_tuning_as_expected`,
    facts: () => holds(width(10) > width(10_000), width(10) > width(6461), width(10_000) > width(6461)),
  },
  {
    of: `${file}OneSidedGreaterTTest::test_one_sided_ttest`,
    facts: () => equal(fixed(relative, 'greater'), [...LIFT, -0.045136675850396046, NEVER, 0.06558262868467746], 1e-10),
  },
  {
    of: `${file}OneSidedGreaterTTest::test_one_sided_ttest_absolute`,
    facts: () =>
      equal(fixed(absolute, 'greater'), [...DIFFERENCE, 0.020791480063255735, NEVER, 0.03554272489873023], 1e-10),
  },
  {
    of: `${file}OneSidedLesserTTest::test_one_sided_ttest`,
    facts: () => equal(fixed(relative, 'less'), [...LIFT, -NEVER, 1.0518588475628676, 0.9344173713153225], 1e-10),
  },
  {
    of: `${file}OneSidedLesserTTest::test_one_sided_ttest_absolute`,
    facts: () =>
      equal(fixed(absolute, 'less'), [...DIFFERENCE, -NEVER, 0.44796185327007765, 0.9644572751012698], 1e-10),
  },
  {
    of: `${file}SequentialOneSidedGreaterTTest::test_one_sided_ttest`,
    facts: () => {
      const [difference = 0, error = 0, low = 0, high = 0, p = 0] = sequential(relative, 'greater');
      return [
        ...equal([difference, error, low, high], [...LIFT, -0.42356454602790883, NEVER], 1e-10),
        ...holds(p > 0.4999),
      ];
    },
    note: searched,
  },
  {
    of: `${file}SequentialOneSidedGreaterTTest::test_one_sided_ttest_absolute`,
    facts: () => {
      const [difference = 0, error = 0, low = 0, high = 0, p = 0] = sequential(absolute, 'greater');
      return [
        ...equal([difference, error, low, high], [...DIFFERENCE, -0.12656844172804982, NEVER], 1e-10),
        ...equal([p], [0.46316491943359384], 2e-4),
      ];
    },
    note: 'gbstats stops its search for the p-value within 2e-4',
  },
  {
    of: `${file}SequentialOneSidedLesserTTest::test_one_sided_ttest`,
    facts: () => {
      const [difference = 0, error = 0, low = 0, high = 0, p = 0] = sequential(relative, 'less');
      return [
        ...equal([difference, error, low, high], [...LIFT, -NEVER, 1.4302867177403806], 1e-10),
        ...holds(p > 0.4999),
      ];
    },
    note: searched,
  },
  {
    of: `${file}SequentialOneSidedLesserTTest::test_one_sided_ttest_absolute`,
    facts: () => {
      const [difference = 0, error = 0, low = 0, high = 0, p = 0] = sequential(absolute, 'less');
      return [
        ...equal([difference, error, low, high], [...DIFFERENCE, -NEVER, 0.5953217750613832], 1e-10),
        ...holds(p > 0.4999),
      ];
    },
    note: searched,
  },
];
