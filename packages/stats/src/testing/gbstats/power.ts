import type { Prior } from '../../bayesian.ts';
import { posterior } from '../../bayesian.ts';
import { compare } from '../../compare.ts';
import { bayesianPower, fixedPower, minimalEffect, powerAt, unitsFor } from '../../power.ts';
import { sequentialTest } from '../../sequential.ts';
import { both, equal, type Fact, mean, type Reproduced, spread, Z } from './facts.ts';

/** A metric as the suite's calculator knows it: relative effects. */
interface Metric {
  mean: number;
  variance: number;
  effect: number;
}

/** Standard error of the relative effect with n units an arm. */
const relativeError = ({ mean: m, variance }: Metric, effect: number, n: number) =>
  both(spread(n, m, variance), spread(n, m * (1 + effect), variance)).relative.standardError;
/** gbstats takes a sequential test for a fixed one whose standard error is larger by this factor. */
const widening = (n: number) =>
  sequentialTest({ difference: 0, standardError: 1, df: Number.POSITIVE_INFINITY, n }, 0.05).interval[1] / Z;

const fixed = (m: Metric, n: number) => fixedPower(m.effect, relativeError(m, m.effect, n), 0.05);
const sequential = (m: Metric, n: number) =>
  fixedPower(m.effect, relativeError(m, m.effect, n) * widening(2 * n), 0.05);
const options = { alpha: 0.05, power: 0.8 };
const smallest = (m: Metric, n: number) => minimalEffect(m, n, options) ?? Number.NaN;
const smallestSequential = (m: Metric, n: number) =>
  minimalEffect({ ...m, variance: m.variance * widening(2 * n) ** 2 }, n, options) ?? Number.NaN;

/** The effect from which on a power that grows with it is 80 %. */
function from80(power: (effect: number) => number): number {
  let [low, high] = [0, 5];
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (power(middle) < 0.8) low = middle;
    else high = middle;
  }
  return high;
}

const large: Metric = { mean: 10, variance: 3909.9997749994377, effect: 0.05 };
const perArm = 400_000 / 3;
const weekly: readonly Metric[] = [
  { mean: 0.1, variance: 0.09, effect: 0.05 },
  { mean: 0.1, variance: 0.5, effect: 0.3 },
];
/** Both metrics after each of nine weeks with 4,500 units in three arms. */
const byWeek = (of: (metric: Metric, n: number) => number) =>
  Array.from({ length: 9 }, (_, week) => weekly.map((metric) => of(metric, 1500 * (week + 1)))).flat();
/** gbstats counts intervals below 0 too. */
const believedPower = (effect: number, standardError: number, prior: Prior) =>
  bayesianPower(effect, standardError, 0.05, prior) +
  bayesianPower(-effect, standardError, 0.05, { ...prior, mean: -prior.mean });
/** The first week in which each metric's power, rounded to percents, is 80 %. */
const weekOf80 = (powers: readonly number[]) =>
  [0, 1].map((metric) => powers.filter((_, i) => i % 2 === metric).findIndex((p) => Math.round(p * 100) >= 80) + 1);

const ofLift: Prior = { mean: 0.2, variance: 0.3 };
/** gbstats' calculator searches the smallest effect in steps of 1e-5. */
const GRID = 1.5e-5;

const planPrior: Prior = { mean: 0.05, variance: 0.5476 };
const absolute = (effect: number) => {
  const scale = large.mean;
  const error = both(spread(perArm, scale, large.variance), spread(perArm, scale, large.variance)).absolute
    .standardError;
  return believedPower(effect * scale, error, { mean: 0.05 * scale, variance: 0.5476 * scale * scale });
};
const relative = (effect: number) => believedPower(effect, relativeError(large, effect, perArm), planPrior);

const started = both(
  mean(500, 499.99999999999994, 1499.999999999999),
  mean(500, 525.0000000000008, 1551.2499999999998),
).relative;
const middlePrior: Prior = { mean: 0.05, variance: 0.001 };
/** The standard error after `factor` times the present units have come in addition. */
const later = (factor: number) => started.standardError / Math.sqrt(1 + factor);
const FACTORS = { fixed: 25.45703125, sequential: 55.66796875, bayesian: 13.9404296875 };
/** gbstats stops its search for the units within 1e-5 of the power. */
const SEARCH = 5e-4;
const needed = (prior?: Prior) =>
  (unitsFor(0.05, { standardError: started.standardError, n: 1000 }, { ...options, sequential: false, prior }) ??
    Number.NaN) / 1000;

/** gbstats takes the last look of the sequential test for all of it. */
const atLastLook = () => {
  const critical = Z * widening(1000 * (1 + FACTORS.sequential));
  return powerAt(0.05, later(FACTORS.sequential), critical);
};

const middle: readonly [string, () => readonly Fact[]][] = [
  [
    'freq',
    () => [
      ...equal([fixedPower(0.05, later(FACTORS.fixed), 0.05)], [0.8], 5e-5),
      ...equal([needed() / (1 + FACTORS.fixed)], [1], SEARCH),
    ],
  ],
  [
    'seq',
    () => {
      return equal([atLastLook()], [0.8], 5e-5);
    },
  ],
  [
    'bayesian',
    () => [
      ...equal([believedPower(0.05, later(FACTORS.bayesian), middlePrior)], [0.8], 5e-5),
      ...equal([needed(middlePrior) / (1 + FACTORS.bayesian)], [1], SEARCH),
    ],
  ],
];
const atLast =
  'gbstats’ way, from our parts: the power of the last look. Ours counts the looks on the way (decision 0072)';
const asWider =
  'gbstats’ way, from our parts: a fixed test with a wider interval. Ours counts the looks on the way (decision 0072)';

const file = 'power.test.ts::';
export const power: readonly Reproduced[] = [
  ...middle.map(([name, facts]) => ({
    of: `test_midexperimentpower.py::TestMidExperimentPower::test_calculate_midexperiment_power_${name}`,
    facts,
    ...(name === 'seq' && { note: atLast }),
  })),
  {
    of: `${file}backend::delta method variance absolute correct`,
    facts: () => equal([both(spread(4, 7, 2), spread(15, 5, 0.5)).absolute.standardError ** 2], [0.53333]),
  },
  {
    of: `${file}backend::delta method variance relative correct`,
    facts: () => equal([both(spread(4, 7, 2), spread(15, 5, 0.5)).relative.standardError ** 2], [0.00589]),
  },
  { of: `${file}backend::calculates power correctly`, facts: () => equal([fixed(large, perArm)], [0.52144]) },
  {
    of: `${file}backend::calculates two-tailed mde correctly`,
    facts: () => equal([smallest(large, perArm)], [0.07027]),
  },
  {
    of: `${file}backend::calculates sequential power correctly`,
    facts: () => equal([sequential(large, perArm)], [0.20596]),
    note: asWider,
  },
  {
    of: `${file}backend::calculates sequential mde correctly`,
    facts: () => equal([smallestSequential(large, perArm)], [0.12821]),
    note: asWider,
  },
  {
    of: `${file}backend::checks power`,
    facts: () => {
      const powers = byWeek(fixed);
      const believed = byWeek((m, n) => believedPower(m.effect, relativeError(m, m.effect, n), ofLift));
      return [
        ...equal(powers, [
          ...[0.073, 0.17053, 0.0965, 0.29389, 0.1204, 0.41122, 0.14458, 0.51749, 0.16895, 0.61037, 0.19342, 0.68938],
          ...[0.21791, 0.75513, 0.24235, 0.80886, 0.26666, 0.85213],
        ]),
        ...equal(byWeek(smallest), [
          ...[
            0.36767, 1.26769, 0.24505, 0.71941, 0.19525, 0.54299, 0.16673, 0.4506, 0.14774, 0.39208, 0.13394, 0.35099,
          ],
          ...[0.12336, 0.32018, 0.11491, 0.29603, 0.10796, 0.27647],
        ]),
        ...equal(weekOf80(powers), [0, 8], 0),
        ...equal(believed, [
          ...[
            0.0752, 0.15127, 0.10103, 0.29358, 0.12581, 0.41893, 0.15048, 0.52858, 0.17516, 0.62241, 0.19984, 0.70103,
          ],
          ...[0.22446, 0.7657, 0.24899, 0.81807, 0.27334, 0.8599],
        ]),
        ...equal(
          byWeek((m, n) => from80((effect) => believedPower(effect, relativeError(m, effect, n), ofLift))),
          [
            ...[0.36259, 1.65287, 0.24173, 0.73248, 0.1929, 0.54036, 0.16492, 0.44561, 0.14626, 0.38687, 0.1327],
            ...[0.34604, 0.12228, 0.3156, 0.11396, 0.29182, 0.10712, 0.27258],
          ],
          GRID,
        ),
        ...equal(weekOf80(believed), [0, 8], 0),
      ];
    },
    note: 'smallest effects of the Bayesian engine to 1.5e-5, since gbstats searches them in steps of 1e-5',
  },
  {
    of: `${file}backend::checks sequential power`,
    facts: () => {
      const powers = byWeek(sequential);
      return [
        ...equal(powers, [
          ...[0.05936, 0.09832, 0.06912, 0.14992, 0.07849, 0.19972, 0.08761, 0.24784, 0.09657, 0.29426, 0.10541],
          ...[0.33888, 0.11415, 0.38165, 0.12282, 0.42249, 0.13142, 0.46136],
        ]),
        ...equal(byWeek(smallestSequential), [
          ...[0.65545, 4.33868, 0.4112, 1.51846, 0.32394, 1.04943, 0.27607, 0.84084, 0.24484, 0.71862, 0.22241],
          ...[0.63663, 0.20532, 0.577, 0.19172, 0.53123, 0.18058, 0.49473],
        ]),
        ...equal(weekOf80(powers), [0, 0], 0),
      ];
    },
    note: asWider,
  },
  {
    of: `${file}calculatePriorMean`,
    facts: () => priors(({ interval, mean: m }) => [m, ...interval]),
    note: 'as the posterior under a prior of the lift, on both scales',
  },
  {
    of: `${file}calculatePriorVariance`,
    facts: () => priors(({ standardDeviation }) => [standardDeviation]),
    note: 'as the posterior under a prior of the lift, on both scales',
  },
  {
    of: `${file}powerEstBayesian`,
    facts: () => [
      ...equal([relative(0.07024999999999991), absolute(0.06781974621178363)], [0.8, 0.8], 5e-4),
      ...equal([from80(relative), from80(absolute)], [0.07025, 0.06782], GRID),
    ],
    note: 'the smallest effects to 1.5e-5, since gbstats searches them in steps of 1e-5',
  },
  {
    of: `${file}midExperimentPower`,
    facts: () =>
      equal(
        [
          fixedPower(0.05, later(FACTORS.fixed), 0.05),
          atLastLook(),
          believedPower(0.05, later(FACTORS.bayesian), middlePrior),
        ],
        [0.8, 0.8, 0.8],
        5e-5,
      ),
    note: atLast,
  },
];

/** A prior of a lift of 1/7 with variance 1/7 where the control's mean is 4: on the absolute scale 4/7 and 16/7. */
function priors(of: (posterior: ReturnType<typeof posteriorOf>) => readonly number[]): Fact[] {
  const [a, b] = [spread(100, 4, 300), spread(100, 5, 300)];
  const prior = { mean: 1 / 7, variance: 1 / 7 };
  const { absolute, relative } = compare(a, b, { engine: 'bayesian', alpha: 0.05, sequential: false, prior });
  const effects = both(a, b);
  const found = (shown: { difference: number; interval: readonly number[] } | undefined) => ({
    mean: shown?.difference ?? Number.NaN,
    interval: shown?.interval ?? [],
    standardDeviation: ((shown?.interval[1] ?? Number.NaN) - (shown?.interval[0] ?? Number.NaN)) / (2 * Z),
  });
  const ofLift = relative && { difference: relative.lift, interval: relative.interval };
  return [
    ...equal(of(found(absolute)), of(posteriorOf(effects.absolute, { mean: 4 / 7, variance: 16 / 7 })), 1e-12),
    ...equal(of(found(ofLift)), of(posteriorOf(effects.relative, prior)), 1e-12),
  ];
}
function posteriorOf(effect: Parameters<typeof posterior>[0], prior: Prior) {
  const { mean: m, interval, standardDeviation } = posterior(effect, 0.05, { prior });
  return { mean: m, interval: interval as readonly number[], standardDeviation };
}
