import type { GuardedLook } from '@fanion/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInMetric } from '../metrics/definition-rules.ts';
import type { ArmSums } from '../metrics/index.ts';
import { ratioOf, sampleOf } from '../metrics/numbers-rules.ts';
import { judge } from './numbers-rules.ts';
import { checkSteps, decide, nextStepAt, type Watched } from './rules.ts';

const start = Date.parse('2026-11-20T12:00:00Z');
const minute = 60_000;

const watched: Watched = {
  variant: 'on',
  control: 'off',
  steps: [
    { weight: 1_000, hold: '10m', min_units: 100 },
    { weight: 50_000, hold: '1h', min_units: 100 },
  ],
  guards: [{ on_regression: 'rollback' }, { on_regression: 'pause' }],
  accepted: [],
  step: 0,
  stepStartedAt: new Date(start),
  pausedReason: null,
};

const guard = (given: Partial<GuardedLook['guards'][number]> = {}): GuardedLook['guards'][number] => ({
  metric: 'error_rate',
  name: 'Error rate',
  verdict: 'no_regression',
  control: { n: 500, mean: 0.01 },
  treatment: { n: 500, mean: 0.01 },
  harm: 0,
  bound: -0.01,
  tolerance: 0.01,
  error: null,
  ...given,
});

const look = (given: Partial<GuardedLook> = {}): GuardedLook => ({
  at: new Date(start).toISOString(),
  units: { on: 500, off: 500 },
  crossed: 0,
  sample_ratio: { ok: true, p_value: 1, chi_squared_p: 1, observed: {}, expected: {}, crossed: 0 },
  guards: [guard(), guard({ metric: 'latency', name: 'Latency' })],
  ...given,
});

const badRatio = { ...look().sample_ratio, ok: false };
const worse = guard({ verdict: 'regression', treatment: { n: 500, mean: 0.2 }, bound: 0.1, harm: 0.19 });
const after = (ms: number) => new Date(start + ms);

describe('what a look decides', () => {
  it.each([
    ['units', { bound: -0.5 }, /500 and 500 units have rows\.$/],
    ['a spread of the values', { bound: null }, /units have rows, whose values differ too little to state an error\.$/],
  ] as const)('holds a guard that lacks %s, and says so', (_, change, reason) => {
    const few = guard({ verdict: 'too_few_data', ...change });
    expect(decide(watched, look({ guards: [few] }), after(10 * minute))).toMatchObject({
      move: 'wait',
      held: true,
      reason: expect.stringMatching(reason),
    });
  });

  it.each([
    ['takes the next step when its time is over', watched, look(), 10 * minute, 'step'],
    ['holds the step for its whole time', watched, look(), 10 * minute - 1, 'wait'],
    ['completes after the last step', { ...watched, step: 1 }, look(), 60 * minute, 'complete'],
    ['rolls back at a regression, at once', watched, look({ guards: [worse, guard()] }), 0, 'rollback'],
    [
      'rolls back although the sample ratio is wrong',
      watched,
      look({ guards: [worse, guard()], sample_ratio: badRatio }),
      0,
      'rollback',
    ],
    ['pauses for a guard that pauses', watched, look({ guards: [guard(), worse] }), 0, 'pause'],
    [
      'passes what a person has accepted',
      { ...watched, accepted: [1] },
      look({ guards: [guard(), worse] }),
      10 * minute,
      'step',
    ],
    [
      'rolls back while it is paused',
      { ...watched, pausedReason: 'x' },
      look({ guards: [worse, worse] }),
      0,
      'rollback',
    ],
    ['waits for a person while it is paused', { ...watched, pausedReason: 'x' }, look(), 60 * minute, 'wait'],
    ['holds with a wrong sample ratio', watched, look({ sample_ratio: badRatio }), 60 * minute, 'wait'],
    ['holds with too few units', watched, look({ units: { on: 500, off: 99 } }), 60 * minute, 'wait'],
    [
      'holds with too few rows of a guard',
      watched,
      look({ guards: [guard(), guard({ verdict: 'too_few_data' })] }),
      60 * minute,
      'wait',
    ],
    [
      'holds with a guard that failed',
      watched,
      look({ guards: [guard({ error: 'too expensive' }), guard()] }),
      60 * minute,
      'wait',
    ],
    ['holds when many units saw both arms', watched, look({ crossed: 100 }), 60 * minute, 'wait'],
  ] as const)('%s', (_name, state, seen, ms, move) => {
    expect(decide(state, seen, after(ms)).move).toBe(move);
  });

  it('never advances unless each guard had enough data and found nothing', () => {
    const verdict = fc.constantFrom('regression', 'no_regression', 'too_few_data' as const);
    fc.assert(
      fc.property(
        fc.tuple(verdict, verdict),
        fc.boolean(),
        fc.nat({ max: 300 }),
        fc.nat({ max: 300 }),
        fc.constantFrom(null, 'paused'),
        fc.nat({ max: 120 }),
        (verdicts, ok, on, off, pausedReason, minutes) => {
          const seen = look({
            guards: verdicts.map((one) => guard({ verdict: one as 'regression' })),
            units: { on, off },
            sample_ratio: { ...look().sample_ratio, ok },
          });
          const { move } = decide({ ...watched, pausedReason }, seen, after(minutes * minute));
          const isClear = verdicts.every((one) => one === 'no_regression') && ok && on >= 100 && off >= 100;
          expect(move === 'step').toBe(isClear && pausedReason === null && minutes >= 10);
          if (verdicts[0] === 'regression') expect(move).toBe('rollback');
        },
      ),
    );
  });

  it('states the numbers of a rollback', () => {
    expect(decide(watched, look({ guards: [worse, guard()] }), after(0)).reason).toBe(
      'Error rate is worse: 20 % against 1 %, by at least 10 %; 1 % is tolerated.',
    );
  });

  it('needs steps that grow, and names the time of the next one', () => {
    expect(checkSteps(watched.steps)).toEqual([]);
    expect(checkSteps(watched.steps.toReversed()).map(({ path }) => path)).toEqual(['steps.1.weight']);
    const { steps, step, stepStartedAt } = watched;
    const of = { state: 'monitoring', steps, step, stepStartedAt, pausedReason: null };
    expect(nextStepAt(of)).toEqual(after(10 * minute));
    expect(nextStepAt({ ...of, pausedReason: 'x' })).toBeNull();
    expect(nextStepAt({ ...of, state: 'rolled_back' })).toBeNull();
  });
});

const none = { x: 0, xx: 0, y: 0, yy: 0, xy: 0, p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0 };
/** An arm of n units with one request each, of which some failed. */
const requests = (variant: string, n: number, failed: number, active = n): ArmSums => ({
  ...none,
  variant,
  slice: '',
  n,
  x: failed,
  xx: failed,
  y: active,
  yy: active,
  xy: failed,
  active,
  events: failed,
  rows: active,
  skipped: 0,
  quantile: null,
});
const errorRate = { key: 'error_rate', name: 'Error rate', definition: builtInMetric('error_rate')?.definition };

describe('a guard', () => {
  const { definition } = errorRate;
  if (definition === undefined) throw new Error('error_rate is built in');
  const ask = (control: ArmSums, treatment: ArmSums, kind?: 'conversion' | 'quantile') =>
    judge(
      { ...errorRate, definition: { ...definition, ...(kind && { kind }) } },
      { direction: 'down_is_good', tolerance: 0.01, min_units: 50 },
      { control, treatment },
      { alpha: 0.05, guards: 2 },
    ).verdict;

  it.each([
    [
      'finds failures although the control group has none',
      requests('off', 200, 0),
      requests('on', 200, 100),
      'regression',
    ],
    ['passes when nothing fails at all', requests('off', 200, 0), requests('on', 200, 0), 'no_regression'],
    ['passes when both fail alike', requests('off', 2_000, 40), requests('on', 2_000, 42), 'no_regression'],
    ['passes when the variant is better', requests('off', 2_000, 400), requests('on', 2_000, 42), 'no_regression'],
    ['has too few data below its units', requests('off', 49, 0), requests('on', 200, 100), 'too_few_data'],
    ['has too few data without requests', requests('off', 200, 0, 0), requests('on', 200, 0, 0), 'too_few_data'],
  ] as const)('%s', (_name, control, treatment, verdict) => {
    expect(ask(control, treatment)).toBe(verdict);
  });

  it.each([
    ['has too few data while nobody has a row of what should go up', 'up_is_good', 0, 'too_few_data'],
    ['passes when nobody has a row of what should go down', 'down_is_good', 0, 'no_regression'],
    ['passes when both have rows alike', 'up_is_good', 5, 'no_regression'],
  ] as const)('%s', (_name, direction, converted, verdict) => {
    const arm = (variant: string) => requests(variant, 200, converted, converted);
    const found = judge(
      { ...errorRate, definition: { ...definition, kind: 'conversion', direction } },
      { direction, tolerance: 0.01, min_units: 50 },
      { control: arm('off'), treatment: arm('on') },
      { alpha: 0.05, guards: 1 },
    );
    expect(found.verdict).toBe(verdict);
  });

  it('takes the direction of its metric unless it names one', () => {
    const bought = (variant: string, n: number) => requests(variant, 400, n, n);
    const verdictOf = (direction: 'down_is_good' | null, treatment: number) =>
      judge(
        { ...errorRate, definition: { ...definition, kind: 'conversion', direction: 'up_is_good' } },
        { direction, tolerance: 0.01, min_units: 50 },
        { control: bought('off', 200), treatment: bought('on', treatment) },
        { alpha: 0.05, guards: 1 },
      ).verdict;
    expect([verdictOf(null, 40), verdictOf(null, 360)]).toEqual(['regression', 'no_regression']);
    expect([verdictOf('down_is_good', 40), verdictOf('down_is_good', 360)]).toEqual(['no_regression', 'regression']);
  });

  it('counts proportions by units, and says nothing about a quantile without spread', () => {
    expect(ask(requests('off', 200, 0), requests('on', 200, 100), 'conversion')).toBe('regression');
    const flat = { value: 5, lower: 5, upper: 5, delta: 0.01 };
    const arms = [requests('off', 200, 190), requests('on', 200, 190)].map((arm) => ({ ...arm, quantile: flat }));
    expect(ask(arms[0] as ArmSums, arms[1] as ArmSums, 'quantile')).toBe('too_few_data');
    expect(sampleOf({ ...definition, kind: 'count' }, requests('on', 5, 2))).toMatchObject({
      kind: 'mean',
      n: 5,
      x: 2,
    });
  });

  it('compares the shares of the arms with the weights', () => {
    expect(ratioOf({ on: 500, off: 500 }, { off: 1, on: 1 }, 3)).toMatchObject({ ok: true, crossed: 3 });
    expect(ratioOf({ on: 300, off: 700 }, { off: 1, on: 1 }, 0)).toMatchObject({
      ok: false,
      expected: { off: 500, on: 500 },
    });
  });
});
