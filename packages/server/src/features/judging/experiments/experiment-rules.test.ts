import type { ExperimentDefinition, ExperimentMetric } from '@fanion/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArmSums } from '../metrics/index.ts';
import { testMetric } from '../metrics/testing/test-metric.ts';
import { type CalculatorInput, calculate, refusalOf } from './calculator-rules.ts';
import { checkDefinition, overlaps, rolloutOf, seedOf } from './definition-rules.ts';
import { healthOf, partialOf, silenceOf, skippedOf } from './health-rules.ts';
import { type Measured, overPhases } from './sample-rules.ts';
import { compareArms, type Judged, judge } from './verdict-rules.ts';

const definition: ExperimentDefinition = {
  hypothesis: '',
  control: 'off',
  variants: [
    { variant: 'off', weight: 50_000 },
    { variant: 'on', weight: 50_000 },
  ],
  bucket_by: null,
  audience: [],
  layer: null,
  traffic: { share: 100_000, start: 0 },
  metrics: { goals: [], secondary: [], guardrails: [] },
  analysis: {
    engine: 'frequentist',
    alpha: 0.05,
    sequential: true,
    cuped: false,
    cuped_days: 14,
    correction: 'holm',
    minimal_effect: 0.05,
    prior: null,
  },
};
const layer = (start: number, share: number, name = 'a'): ExperimentDefinition => ({
  ...definition,
  layer: name,
  traffic: { start, share },
});

describe('the definition of an experiment', () => {
  it.each<[string, Partial<ExperimentDefinition>, string]>([
    [
      'weights that do not sum',
      {
        variants: [
          { variant: 'off', weight: 50_000 },
          { variant: 'on', weight: 40_000 },
        ],
      },
      'variants',
    ],
    [
      'a weight of 0',
      {
        variants: [
          { variant: 'off', weight: 100_000 },
          { variant: 'on', weight: 0 },
        ],
      },
      'variants.1.weight',
    ],
    ['a missing control', { control: 'third' }, 'control'],
    [
      'a variant that the flag lacks',
      {
        variants: [
          { variant: 'off', weight: 50_000 },
          { variant: 'x', weight: 50_000 },
        ],
      },
      'variants.1',
    ],
    [
      'a variant twice',
      {
        variants: [
          { variant: 'off', weight: 50_000 },
          { variant: 'off', weight: 50_000 },
        ],
      },
      'variants.1',
    ],
    ['a slice beyond the line', { layer: 'a', traffic: { start: 60_000, share: 50_000 } }, 'traffic'],
    [
      'a segment that the project lacks',
      { audience: [{ op: 'in_segment', values: ['beta'], negate: false }] },
      'audience.0.values.0',
    ],
    ['a metric twice', { metrics: { goals: ['m'], secondary: ['m'], guardrails: [] } }, 'metrics'],
  ])('rejects %s', (_name, change, path) => {
    const known = { variants: ['off', 'on', 'third'], segments: new Set<string>() };
    expect(checkDefinition({ ...definition, ...change }, known).map((issue) => issue.path)).toContain(path);
  });
  it('accepts ten arms', () => {
    const names = Array.from({ length: 10 }, (_, i) => `v${i}`);
    const variants = names.map((variant) => ({ variant, weight: 10_000 }));
    expect(
      checkDefinition({ ...definition, control: 'v0', variants }, { variants: names, segments: new Set() }),
    ).toEqual([]);
  });
});

describe('the split of an experiment', () => {
  it('tracks its slice, and gives the rest the control, untracked', () => {
    expect(rolloutOf(layer(20_000, 10_000), 'seed')).toEqual({
      seed: 'seed',
      tracked: true,
      weights: [
        { variant: 'off', weight: 20_000, untracked: true },
        { variant: 'off', weight: 5_000 },
        { variant: 'on', weight: 5_000 },
        { variant: 'off', weight: 70_000, untracked: true },
      ],
    });
  });
  it('always fills the line, and comes within one place of each weight', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 100_000 }), fc.nat(100_000), (some, share, begin) => {
        const all = [...some, 100_000 - some.reduce((sum, w) => sum + w, 0)];
        const start = Math.min(begin, 100_000 - share);
        const variants = all.map((weight, i) => ({ variant: `v${i}`, weight }));
        const rollout = rolloutOf(
          { ...definition, control: 'v0', variants, layer: 'a', traffic: { start, share } },
          's',
        );
        expect(rollout.weights.reduce((sum, { weight }) => sum + weight, 0)).toBe(100_000);
        const tracked = rollout.weights.filter(({ untracked }) => untracked !== true);
        tracked.forEach(({ weight }, i) => {
          expect(Math.abs(weight - ((all[i] ?? 0) * share) / 100_000)).toBeLessThanOrEqual(1);
        });
      }),
    );
  });
  it('has a seed of its own, or that of its layer', () => {
    expect(seedOf(definition, { id: 'x', salt: 0 })).toBe('experiment-x');
    expect(seedOf(definition, { id: 'x', salt: 2 })).toBe('experiment-x-2');
    expect([seedOf(layer(0, 1), { id: 'x', salt: 0 }), seedOf(layer(5, 1), { id: 'y', salt: 1 })]).toEqual([
      'layer-a',
      'layer-a',
    ]);
  });
  it.each([
    [layer(0, 50_000), layer(50_000, 50_000), false],
    [layer(0, 50_001), layer(50_000, 50_000), true],
    [layer(0, 50_001), layer(50_000, 50_000, 'b'), false],
    [definition, definition, false],
  ])('meets another one only in a slice of the same layer', (one, other, meet) => {
    expect([overlaps(one, other), overlaps(other, one)]).toEqual([meet, meet]);
  });
});

const metric = (
  change: Partial<ExperimentMetric['definition']> = {},
  key = 'm',
  role: ExperimentMetric['role'] = 'goal',
): ExperimentMetric => ({
  id: key,
  key,
  name: key,
  role,
  definition: testMetric(change),
});
const zeros = { x: 0, xx: 0, y: 0, yy: 0, xy: 0, p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0 };
const arm = (variant: string, n: number, x: number, change: Partial<ArmSums> = {}): ArmSums => ({
  ...zeros,
  variant,
  slice: '',
  n,
  x,
  xx: x,
  active: x,
  events: x,
  rows: x,
  skipped: 0,
  quantile: null,
  ...change,
});
const judged = { definition, reliable: true, elapsedMs: 7 * 86_400_000 };
const judgeAll = (measured: readonly Measured[], all: Judged) =>
  judge(
    measured.map((one) => compareArms(one, all)),
    all,
  );
const verdictOf = (measured: Measured, change: Partial<typeof judged> = {}) =>
  judgeAll([measured], { ...judged, ...change })[0]?.variants[1];

describe('the results of a metric', () => {
  const clear = [arm('off', 5_000, 500), arm('on', 5_000, 700)];
  it('take the verdict from the difference, in the direction of the metric', () => {
    const up = verdictOf({ metric: metric(), sums: clear });
    expect(up).toMatchObject({ n: 5_000, mean: 0.14, significant: true, verdict: 'better', reason: null });
    expect(up?.absolute?.difference).toBeCloseTo(0.04, 12);
    expect(up?.lift).toBeCloseTo(0.4, 12);
    expect(verdictOf({ metric: metric({ direction: 'down_is_good' }), sums: clear })?.verdict).toBe('worse');
    expect(judgeAll([{ metric: metric(), sums: clear }], judged)[0]?.variants[0]).toMatchObject({
      verdict: 'control',
      absolute: null,
    });
  });
  it('have no verdict while the split is wrong, with few events, and without a variance', () => {
    expect(verdictOf({ metric: metric(), sums: clear }, { reliable: false })).toMatchObject({
      verdict: 'unreliable',
      significant: false,
    });
    const few = [arm('off', 5_000, 3), arm('on', 5_000, 60)];
    expect(verdictOf({ metric: metric(), sums: few })).toMatchObject({ verdict: 'too_few_data', significant: false });
    // Every unit has a request, but few of them failed.
    const requests = { y: 5_000, yy: 5_000, active: 5_000, rows: 5_000 };
    const failed = (variant: string, n: number) => arm(variant, 5_000, n, { ...requests, xy: n });
    const rate = {
      metric: metric({ kind: 'ratio', value: 'if(status == error, 1, 0)' }),
      sums: [failed('off', 1), failed('on', 40)],
    };
    expect(verdictOf(rate)).toMatchObject({ verdict: 'too_few_data', significant: false });
    expect(verdictOf({ ...rate, sums: [failed('off', 10), failed('on', 90)] })).toMatchObject({ significant: true });
    const none = [arm('off', 0, 0), arm('on', 1, 1)];
    expect(verdictOf({ metric: metric(), sums: none })).toMatchObject({
      verdict: 'too_few_data',
      absolute: { difference: null, interval: null, p_value: null },
      n: 1,
      mean: 1,
    });
    const equal = [arm('off', 9, 9), arm('on', 9, 18, { xx: 36 })];
    expect(verdictOf({ metric: metric({ kind: 'sum' }), sums: equal })?.absolute).toEqual({
      difference: 1,
      interval: null,
      p_value: null,
    });
  });
  it('compare units within their phase, so that other weights are no effect', () => {
    // The second phase gives most units the variant, in a time in which everybody buys more.
    const sums = [
      { ...arm('off', 1_000, 200), slice: '0' },
      { ...arm('on', 1_000, 200), slice: '0' },
      { ...arm('off', 400, 240), slice: '1' },
      { ...arm('on', 1_600, 960), slice: '1' },
    ];
    const measured = overPhases(metric(), { sums }, ['off', 'on'], 2);
    const found = verdictOf(measured);
    expect(found).toMatchObject({ n: 2_600, verdict: 'no_difference_yet' });
    expect(found?.absolute?.difference).toBeCloseTo(0, 12);
    const { strata: _, ...pooled } = measured;
    expect(verdictOf(pooled)?.verdict).toBe('better');
    const quantile = metric({ kind: 'quantile', value: 'duration', quantile: 0.5 });
    expect(overPhases(quantile, { sums }, ['off', 'on'], 2).sums).toEqual(sums.slice(2));
  });
  it('leave out a phase in which an arm has nobody', () => {
    const sums = [
      { ...arm('off', 1_000, 200), slice: '0' },
      { ...arm('off', 1_000, 600), slice: '1' },
      { ...arm('on', 1_000, 600), slice: '1' },
    ];
    expect(verdictOf(overPhases(metric(), { sums }, ['off', 'on'], 2))?.absolute?.difference).toBeCloseTo(0, 12);
    const apart = overPhases(metric(), { sums: [sums[0], sums[2]].flatMap((one) => one ?? []) }, ['off', 'on'], 2);
    expect(verdictOf(apart)).toMatchObject({ verdict: 'too_few_data', absolute: { interval: null } });
  });
  it('use CUPED over phases of which some have no values from before', () => {
    const before = { p: 500, pp: 500, px: 400 };
    const sums = [
      { ...arm('off', 5_000, 500, before), slice: '0' },
      { ...arm('on', 5_000, 560, before), slice: '0' },
      { ...arm('off', 500, 60), slice: '1' },
      { ...arm('on', 500, 60, { p: 3, pp: 3, px: 2 }), slice: '1' },
      { ...arm('off', 400, 60), slice: '2' },
      { ...arm('on', 400, 60), slice: '2' },
    ];
    const measured = overPhases(metric(), { sums }, ['off', 'on'], 3);
    const width = (cuped: boolean) => {
      const [low = 0, high = 0] =
        verdictOf(measured, { definition: { ...definition, analysis: { ...definition.analysis, cuped } } })?.absolute
          ?.interval ?? [];
      return high - low;
    };
    expect(width(true)).toBeGreaterThan(0);
    expect(width(true)).toBeLessThan(0.9 * width(false));
  });
  it('keep negative values', () => {
    const sums = [
      arm('off', 1_000, -5_000, { xx: 30_000, events: 900 }),
      arm('on', 1_000, -4_000, { xx: 21_000, events: 900 }),
    ];
    expect(verdictOf({ metric: metric({ kind: 'sum' }), sums })).toMatchObject({
      mean: -4,
      verdict: 'better',
      lift: 0.2,
    });
  });
  it('use CUPED only where units have values from before', () => {
    const before = { p: 500, pp: 500, px: 400 };
    const adjusted = { ...definition, analysis: { ...definition.analysis, cuped: true } };
    const with_ = [arm('off', 5_000, 500, before), arm('on', 5_000, 560, before)];
    const width = (sums: readonly ArmSums[]) => {
      const [low = 0, high = 0] =
        verdictOf({ metric: metric(), sums }, { definition: adjusted })?.absolute?.interval ?? [];
      return high - low;
    };
    const without = [arm('off', 5_000, 500), arm('on', 5_000, 560)];
    expect(width(with_)).toBeLessThan(0.8 * width(without));
    expect(width(without)).toBeGreaterThan(0);
  });
  it('correct goals together, and guardrails not at all', () => {
    const close = [arm('off', 10_000, 1_000), arm('on', 10_000, 1_105)];
    const fixed = { definition: { ...definition, analysis: { ...definition.analysis, sequential: false } } };
    const one = verdictOf({ metric: metric(), sums: close }, fixed);
    expect(one).toMatchObject({ significant: true });
    const flat = [arm('off', 10_000, 1_000), arm('on', 10_000, 1_000)];
    const more = [
      { metric: metric(), sums: close },
      ...['b', 'c', 'd'].map((key) => ({ metric: metric({}, key), sums: flat })),
      { metric: metric({}, 'g', 'guardrail'), sums: close },
    ];
    const [first, , , , guardrail] = judgeAll(more, { ...judged, ...fixed });
    expect(first?.variants[1]?.p_value_adjusted).toBeCloseTo(4 * (one?.absolute?.p_value ?? 0), 10);
    expect(first?.variants[1]?.significant).toBe(false);
    expect(guardrail?.variants[1]).toMatchObject({ significant: true, verdict: 'better' });
  });
  it('say how long it takes to find the smallest effect of interest', () => {
    const flat = [arm('off', 1_000, 100), arm('on', 1_000, 100)];
    const { power, days_left: days } = verdictOf({ metric: metric(), sums: flat }) ?? {};
    expect(power).toBeLessThan(0.1);
    // 5 % of 10 %: about 58,000 units an arm with one look, twice that with repeated looks; 2,000 came in a week
    expect(days).toBeGreaterThan(350);
    expect(days).toBeLessThan(1_000);
  });
  it('say it of credible intervals under the Bayesian engine, which do not widen for repeated looks', () => {
    const flat = [arm('off', 10_000, 1_000), arm('on', 10_000, 1_000)];
    const of = (analysis: Partial<ExperimentDefinition['analysis']>) => {
      const changed = { ...definition, analysis: { ...definition.analysis, ...analysis } };
      const found = verdictOf({ metric: metric(), sums: flat }, { definition: changed });
      return { power: found?.power ?? 0, days: found?.days_left ?? 0 };
    };
    const [fixed, bayesian] = [of({ sequential: false }), of({ engine: 'bayesian' })];
    expect(bayesian.power).toBeCloseTo(fixed.power, 12);
    expect(bayesian.days).toBe(fixed.days);
    expect(of({}).days).toBeGreaterThan(1.5 * fixed.days);
    const sceptical = of({ engine: 'bayesian', prior: { mean: 0, variance: 0.0005 } });
    expect(sceptical.power).toBeLessThan(bayesian.power);
    expect(sceptical.days).toBeGreaterThan(bayesian.days);
  });
  it('show the other metrics beside one that cannot be measured', () => {
    const [broken, fine] = judgeAll(
      [
        { metric: metric(), sums: { error: 'no such field' } },
        { metric: metric({}, 'n'), sums: clear },
      ],
      judged,
    );
    expect(broken).toMatchObject({ error: 'no such field', variants: [] });
    expect(fine?.variants).toHaveLength(2);
  });
  it('judge 10 arms by 30 metrics', () => {
    const names = Array.from({ length: 10 }, (_, i) => `v${i}`);
    const wide = { ...definition, control: 'v0', variants: names.map((variant) => ({ variant, weight: 10_000 })) };
    const measured = Array.from({ length: 30 }, (_, i) => ({
      metric: metric({}, `m${i}`),
      sums: names.map((variant, j) => arm(variant, 1_000, 100 + j)),
    }));
    const results = judgeAll(measured, { ...judged, definition: wide });
    expect(results.flatMap(({ variants }) => variants)).toHaveLength(300);
    expect(results.flatMap(({ variants }) => variants).filter(({ significant }) => significant)).toEqual([]);
  });
});

describe('the health of an experiment', () => {
  const traffic = { evaluations: 0, tracked: 0, untrackedUnits: 0, ahead: 0, beforeStart: 0 };
  const { variants } = definition;
  const phase = { from: new Date(0).toISOString(), variants, share: 100_000, reason: 'start' };
  const at = { definition, phases: [phase], countedFromMs: undefined, toMs: 86_400_000 };
  const of = (off: number, on: number, crossed = 0) => ({ arms: { off, on }, crossed, slices: [] });
  it('marks a wrong split, and crossed units above 1 %', () => {
    expect(healthOf(at, of(5_000, 5_050), traffic)).toMatchObject({
      sample_ratio: { ok: true },
      exposures: 10_050,
      warnings: [],
    });
    expect(healthOf(at, of(5_000, 6_000), traffic)).toMatchObject({
      sample_ratio: { ok: false, expected: { off: 5_500, on: 5_500 } },
      warnings: [expect.stringContaining('not split as intended')],
    });
    expect(healthOf(at, of(500, 500, 30), traffic).warnings).toEqual([expect.stringContaining('2.9 %')]);
    expect(healthOf(at, of(500, 500, 5), traffic).warnings).toEqual([]);
  });
  it.each([
    [traffic, /not evaluated here/],
    [{ ...traffic, evaluations: 9, tracked: 9 }, /without a unit/],
    [{ ...traffic, evaluations: 9, untrackedUnits: 9 }, /outside of the experiment/],
    [{ ...traffic, evaluations: 9 }, /targets, rules or the off variant/],
  ])('explains why there are no exposures', (seen, warning) => {
    expect(healthOf(at, of(0, 0), seen).warnings).toEqual([expect.stringMatching(warning)]);
  });
  it('does not blame the integration where all units crossed, or all clocks are ahead', () => {
    const seen = { ...traffic, evaluations: 40, tracked: 40 };
    expect(healthOf(at, of(0, 0, 20), seen).warnings).toEqual([expect.stringContaining('100.0 % of the units')]);
    expect(healthOf(at, of(0, 0), { ...traffic, ahead: 20 }).warnings).toEqual([
      expect.stringContaining('20 units have exposures in the future'),
    ]);
  });
  it('names metrics of which no unit has a row', () => {
    const sums = (rows: number) => ({ sums: [arm('off', 100, 0), arm('on', 100, rows)] });
    const metrics = ['Bought', 'Paid', 'Broken'].map((name) => ({ name }));
    expect(silenceOf(metrics, [sums(0), sums(1), { error: 'no such field' }])).toEqual([
      expect.stringMatching(/^No unit has a row of Bought\. /),
    ]);
    expect(silenceOf(metrics, [{ sums: [arm('off', 0, 0), arm('on', 0, 0)] }])).toEqual([]);
  });
  it('counts rows whose value is no number', () => {
    const sums = (skipped: number) => ({ sums: [arm('off', 100, 3), arm('on', 100, 4, { skipped })] });
    const metrics = ['Revenue', 'Bought'].map((name) => ({ name }));
    expect(skippedOf(metrics, [sums(3), sums(0)])).toEqual([
      '3 of 10 rows of Revenue have a value that is missing or not a finite number, and do not count.',
    ]);
    expect(skippedOf(metrics, [{ error: 'no such field' }, sums(0)])).toEqual([]);
  });
  it('names quantiles that are of the last phase only', () => {
    const { variants } = definition;
    const phases = [0, 1_000].map((at) => ({ from: new Date(at).toISOString(), variants, share: 100_000, reason: '' }));
    const metrics = [metric({ kind: 'quantile', quantile: 0.5 }, 'Median'), metric({}, 'Bought')];
    expect(partialOf(metrics, phases)).toEqual([
      'Quantiles of several phases cannot be added: Median is of the units since 1970-01-01T00:00Z, in the last phase.',
    ]);
    expect(partialOf(metrics, phases.slice(0, 1))).toEqual([]);
  });
  it('tests the split of each phase by its own weights', () => {
    const next = [
      { variant: 'off', weight: 20_000 },
      { variant: 'on', weight: 80_000 },
    ];
    const second = { from: new Date(1_000).toISOString(), variants: next, share: 100_000, reason: 'weights' };
    const units = (counts: readonly (readonly [string, string, number])[]) => ({
      arms: { off: 1_200, on: 1_800 },
      crossed: 0,
      slices: counts.map(([variant, slice, n]) => ({ variant, slice, n })),
    });
    const split = units([
      ['off', '0', 1_000],
      ['on', '0', 1_000],
      ['off', '1', 200],
      ['on', '1', 800],
    ]);
    const both = { ...at, phases: [phase, second] };
    expect(healthOf(both, split, traffic)).toMatchObject({
      sample_ratio: { ok: true, observed: { off: 1_200, on: 1_800 }, expected: { off: 1_200, on: 1_800 } },
      phases: [{ to: second.from, sample_ratio: { ok: true } }, { sample_ratio: { ok: true } }],
    });
    // As if the weights had not changed: right over all, wrong in the second phase.
    const wrong = units([
      ['off', '0', 700],
      ['on', '0', 1_300],
      ['off', '1', 500],
      ['on', '1', 500],
    ]);
    expect(healthOf(both, wrong, traffic)).toMatchObject({
      sample_ratio: { ok: false },
      phases: [{ sample_ratio: { ok: false } }, { sample_ratio: { ok: false } }],
    });
  });
  it('warns of clocks that are ahead, and of telemetry that is gone', () => {
    expect(healthOf(at, of(500, 500), { ...traffic, ahead: 3 }).warnings).toEqual([expect.stringContaining('clocks')]);
    expect(healthOf(at, of(500, 500), { ...traffic, beforeStart: 4 }).warnings).toEqual([
      expect.stringContaining('4 units were in a split of the flag in the day before the start'),
    ]);
    expect(healthOf({ ...at, countedFromMs: 0 }, of(500, 500), traffic).warnings).toEqual([
      expect.stringContaining('exposed first since 1970-01-01T00:00Z'),
    ]);
  });
});

describe('the calculator', () => {
  const input: CalculatorInput = {
    isShare: true,
    baseline: 0.1,
    stddev: undefined,
    effect: 0.1,
    alpha: 0.05,
    power: 0.8,
    arms: 2,
    daily: 10_000,
    sequential: false,
  };
  it('states both tests, and the power by day', () => {
    const result = calculate(input);
    expect(result).toMatchObject({
      per_arm: 14_749,
      total: 29_498,
      days: 3,
      fixed: { per_arm: 14_749, total: 29_498, days: 3 },
      daily: 10_000,
    });
    expect(result?.sequential.per_arm).toBeGreaterThan(14_749);
    expect(result?.power_at_days.at(2)?.fixed).toBeCloseTo(0.8, 1);
    expect(calculate({ ...input, daily: undefined })).toMatchObject({ days: null, power_at_days: [] });
    const sequential = calculate({ ...input, sequential: true });
    expect(sequential).toMatchObject({ ...result?.sequential, fixed: result?.fixed });
  });
  it.each<[string, Partial<CalculatorInput>, RegExp]>([
    ['a share of 1', { baseline: 1 }, /baseline/],
    ['an effect beyond 1', { baseline: 0.6, effect: 0.7 }, /effect/],
    ['no effect', { effect: 0 }, /effect/],
    ['a mean without its spread', { isShare: false, baseline: 5 }, /stddev/],
    ['a baseline of 0', { isShare: false, baseline: 0, stddev: 1 }, /baseline/],
    ['a power below alpha', { power: 0.01 }, /power/],
  ])('refuses %s', (_name, change, reason) => {
    expect(refusalOf({ ...input, ...change })).toMatch(reason);
  });
  it('refuses numbers of units that nobody has', () => {
    expect(calculate({ ...input, effect: 1e-9 })).toBeUndefined();
  });
});
