import type { GuardedLook } from '@fanion/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInMetric } from '../metrics/definition-rules.ts';
import type { ArmSums } from '../metrics/index.ts';
import { ratioOf, sampleOf } from '../metrics/numbers-rules.ts';
import { judge } from './numbers-rules.ts';
import { checkPlan, decide, nextStepAt, type Watched } from './rules.ts';

const start = Date.parse('2026-11-20T12:00:00Z');
const minute = 60_000;

const watched: Watched = {
  variant: 'on',
  control: 'off',
  steps: [
    { weight: 1_000, hold: '10m', min_units: 100 },
    { weight: 50_000, hold: '1h', min_units: 100 },
  ],
  guards: [
    { on_regression: 'rollback', min_units: 50 },
    { on_regression: 'pause', min_units: 50 },
  ],
  accepted: [],
  passed: undefined,
  whenUnsure: 'hold',
  holdAtMost: '7d',
  armedAt: new Date(start),
  step: 0,
  stepStartedAt: new Date(start),
  pausedReason: null,
  watch: '24h',
  watchedSince: null,
};

const guard = (given: Partial<GuardedLook['guards'][number]> = {}): GuardedLook['guards'][number] => ({
  metric: 'error_rate',
  name: 'Error rate',
  verdict: 'no_harm',
  control: { n: 500, mean: 0.01 },
  treatment: { n: 500, mean: 0.01 },
  harm: 0,
  bound: -0.01,
  upper: 0.009,
  units_needed: null,
  tolerance: 0.01,
  error: null,
  ...given,
});

const look = (given: Partial<GuardedLook> = {}): GuardedLook => ({
  at: new Date(start).toISOString(),
  units: { on: 500, off: 500 },
  crossed: 0,
  compared_with: 'control',
  sample_ratio: { ok: true, p_value: 1, chi_squared_p: 1, observed: {}, expected: {}, crossed: 0 },
  guards: [guard(), guard({ metric: 'latency', name: 'Latency' })],
  ...given,
});

const before = (given: Partial<GuardedLook> = {}) => look({ compared_with: 'control_before', ...given });
const watching: Watched = { ...watched, step: 1, watchedSince: new Date(start) };
const day = 24 * 60 * minute;

const badRatio = { ...look().sample_ratio, ok: false };
const worse = guard({ verdict: 'harm', treatment: { n: 500, mean: 0.2 }, bound: 0.1, upper: 0.3, harm: 0.19 });
const unsure = guard({ verdict: 'not_sure', harm: 0.002, upper: 0.021, units_needed: 5_000 });
const after = (ms: number) => new Date(start + ms);

describe('what a look decides', () => {
  it.each([
    ['a wrong sample ratio, at once', look({ sample_ratio: badRatio }), 1, 'sample_ratio'],
    ['units that saw both arms', look({ crossed: 100 }), 1, 'crossed'],
    ['a guard that fails after the hold', look({ guards: [guard({ error: 'x' })] }), 10 * minute, 'failed_guard'],
    ['no guard that fails before', look({ guards: [guard({ error: 'x' })] }), 1, undefined],
    ['missing units after the hold', look({ units: { on: 50, off: 99 } }), 10 * minute, 'units'],
    ['no missing units before', look({ units: { on: 50, off: 99 } }), 1, undefined],
  ] as const)('tells people of %s', (_, seen, ms, tell) => {
    const { tell: told, ...decision } = { tell: undefined, ...decide(watched, seen, after(ms)) };
    expect([decision.move, told]).toEqual(['wait', tell]);
  });

  it('says which units a step lacks, and for how long', () => {
    expect(decide(watched, look({ units: { on: 50, off: 90 } }), after(30 * minute)).reason).toBe(
      'Too few data: 50 and 90 units, the step needs 100 in each arm. At 100 units an hour, about 30 minutes more.',
    );
    expect(decide(watched, look({ units: { off: 90 } }), after(30 * minute)).reason).toMatch(/Nobody has evaluated/);
  });

  it.each([
    ['units', { treatment: { n: 0, mean: null } }, /0 and 500 units have rows\.$/],
    ['a spread of the values', { bound: null }, /units have rows, whose values differ too little to state an error\.$/],
  ] as const)('holds a guard that lacks %s, and says so', (_, change, reason) => {
    const few = guard({ verdict: 'not_sure', upper: null, ...change });
    expect(decide(watched, look({ guards: [few] }), after(10 * minute))).toMatchObject({
      move: 'wait',
      held: true,
      reason: expect.stringMatching(reason),
    });
  });

  it.each([
    ['takes the next step when its time is over', watched, look(), 10 * minute, 'step'],
    ['holds the step for its whole time', watched, look(), 10 * minute - 1, 'wait'],
    ['watches after the last step', { ...watched, step: 1 }, look(), 60 * minute, 'watch'],
    [
      'completes after the last step without a watch',
      { ...watched, step: 1, watch: '0s' },
      look(),
      60 * minute,
      'complete',
    ],
    ['rolls back during the watch', watching, before({ guards: [worse, guard()] }), 1, 'rollback'],
    ['pauses during the watch', watching, before({ guards: [guard(), worse] }), 1, 'pause'],
    [
      'ignores what a person has accepted',
      { ...watching, accepted: [1] },
      before({ guards: [guard(), worse] }),
      1,
      'wait',
    ],
    ['waits for a person, also at the end', { ...watching, pausedReason: 'x' }, before(), day, 'wait'],
    ['watches for its whole time', watching, before(), day - 1, 'wait'],
    ['completes at its end', watching, before({ guards: [guard(), unsure] }), day, 'complete'],
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
      look({ guards: [guard(), guard({ verdict: 'not_sure', upper: null })] }),
      60 * minute,
      'wait',
    ],
    ['holds while a guard is not sure', watched, look({ guards: [guard(), unsure] }), 60 * minute, 'unsure'],
    [
      'goes on although a guard is not sure where the release says so',
      { ...watched, whenUnsure: 'advance' },
      look({ guards: [guard(), unsure] }),
      60 * minute,
      'step',
    ],
    [
      'rolls back when a guard is not sure at the end of the step, where the release says so',
      { ...watched, whenUnsure: 'rollback' },
      look({ guards: [guard(), unsure] }),
      10 * minute,
      'rollback',
    ],
    [
      'holds although it may go on, where a guard has too few units',
      { ...watched, whenUnsure: 'advance' },
      look({ guards: [guard(), { ...unsure, treatment: { n: 49, mean: 0 } }] }),
      60 * minute,
      'unsure',
    ],
    [
      'holds without numbers of a guard that a person has accepted',
      { ...watched, accepted: [1] },
      look({ guards: [guard(), guard({ verdict: 'not_sure', upper: null })] }),
      60 * minute,
      'wait',
    ],
    [
      'decides nothing about a guard that is not sure before the end of the step',
      { ...watched, whenUnsure: 'rollback' },
      look({ guards: [guard(), unsure] }),
      10 * minute - 1,
      'wait',
    ],
    [
      'goes on from the step that a person has passed',
      { ...watched, passed: 0 },
      look({ guards: [guard(), unsure] }),
      10 * minute,
      'step',
    ],
    [
      'holds again in the next one',
      { ...watched, passed: 0, step: 1 },
      look({ guards: [guard(), unsure] }),
      60 * minute,
      'unsure',
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
    const verdict = fc.constantFrom('harm' as const, 'no_harm' as const, 'not_sure' as const);
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
            guards: verdicts.map((one) => guard({ verdict: one })),
            units: { on, off },
            sample_ratio: { ...look().sample_ratio, ok },
          });
          const { move } = decide({ ...watched, pausedReason }, seen, after(minutes * minute));
          const isClear = verdicts.every((one) => one === 'no_harm') && ok && on >= 100 && off >= 100;
          expect(move === 'step').toBe(isClear && pausedReason === null && minutes >= 10);
          if (verdicts[0] === 'harm') expect(move).toBe('rollback');
        },
      ),
    );
  });

  it('states the numbers of a rollback', () => {
    expect(decide(watched, look({ guards: [worse, guard()] }), after(0)).reason).toBe(
      'Error rate is worse: 20 % against 1 %, by at least 10 points; 1 point is tolerated.',
    );
  });

  it('does not say that a guard is within its tolerance whose harm a person has accepted', () => {
    const seen = look({ guards: [guard(), worse] });
    expect(decide({ ...watched, accepted: [1] }, seen, after(10 * minute)).reason).toBe(
      'No harm: every guard but those that a person has accepted is within its tolerance.',
    );
  });

  it('says what a guard that is not sure lacks, and asks people after the longest hold', () => {
    const seen = look({ guards: [unsure, guard()] });
    expect(decide(watched, seen, after(60 * minute))).toEqual({
      move: 'unsure',
      isLate: false,
      reason:
        'Not sure yet: Error rate is 0.2 points worse, and could be 2.1 points worse; 1 point is tolerated. At 500 units an hour in each group, about 9 hours more.',
    });
    const never = look({ guards: [{ ...unsure, units_needed: null }, guard()] });
    expect(decide(watched, never, after(60 * minute)).reason).toMatch(/too close to the tolerance/);
    const late = 10 * minute + 7 * 24 * 60 * minute;
    expect(decide(watched, seen, after(late - 1))).toMatchObject({ isLate: false });
    expect(decide(watched, seen, after(late))).toMatchObject({ isLate: true });
  });

  it('says during the watch what it is compared with, and at its end what it could not tell', () => {
    expect(decide(watching, before({ guards: [worse, guard()] }), after(1)).reason).toBe(
      'Error rate is worse: 20 % against 1 % of the control before 100 %, by at least 10 points; 1 point is tolerated with the margin for changes over time.',
    );
    const late = guard({ name: 'Purchases', verdict: 'not_sure', error: 'it adds up' });
    expect(decide(watching, before({ guards: [guard(), late] }), after(day)).reason).toBe(
      'Everybody has had the variant for 24h, and no guard has found harm against the control before 100 %. Not sure at the end: Purchases (it adds up).',
    );
  });

  it('needs steps that grow, and names the time of the next one', () => {
    expect(checkPlan(watched)).toEqual([]);
    const reversed = { ...watched, steps: watched.steps.toReversed(), watch: '31d' };
    expect(checkPlan(reversed).map(({ path }) => path)).toEqual(['steps.1.weight', 'watch']);
    const { steps, step, stepStartedAt } = watched;
    const of = { state: 'monitoring', steps, step, stepStartedAt, watchedSince: null, pausedReason: null };
    expect(nextStepAt(of)).toEqual(after(10 * minute));
    expect(nextStepAt({ ...of, pausedReason: 'x' })).toBeNull();
    expect(nextStepAt({ ...of, state: 'rolled_back' })).toBeNull();
    expect(nextStepAt({ ...of, watchedSince: after(0) })).toBeNull();
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
      { alpha: 0.05, guards: 2, comparedWith: 'control' },
    ).verdict;

  it.each([
    ['finds failures although the control group has none', requests('off', 200, 0), requests('on', 200, 100), 'harm'],
    ['is not sure when nothing fails in a few requests', requests('off', 200, 0), requests('on', 200, 0), 'not_sure'],
    ['finds no harm when nothing fails in many', requests('off', 1_000, 0), requests('on', 1_000, 0), 'no_harm'],
    ['is not sure of what could be chance', requests('off', 200, 0), requests('on', 200, 8), 'not_sure'],
    ['is not sure when both fail alike in a few', requests('off', 2_000, 40), requests('on', 2_000, 42), 'not_sure'],
    ['finds no harm when both fail alike', requests('off', 9_000, 180), requests('on', 9_000, 184), 'no_harm'],
    ['finds no harm in a better variant', requests('off', 2_000, 400), requests('on', 2_000, 42), 'no_harm'],
    ['is not sure below its units', requests('off', 49, 0), requests('on', 200, 100), 'not_sure'],
    ['is not sure without requests', requests('off', 200, 0, 0), requests('on', 200, 0, 0), 'not_sure'],
  ] as const)('%s', (_name, control, treatment, verdict) => {
    expect(ask(control, treatment)).toBe(verdict);
  });

  it.each([
    ['is not sure while nobody has a row of what should go up', 'up_is_good', 0, 'not_sure'],
    ['finds no harm when nobody has a row of what should go down', 'down_is_good', 0, 'no_harm'],
    ['finds no harm when both have rows alike', 'up_is_good', 5, 'no_harm'],
  ] as const)('%s', (_name, direction, converted, verdict) => {
    const arm = (variant: string) => requests(variant, 2_000, converted, converted);
    const found = judge(
      { ...errorRate, definition: { ...definition, kind: 'conversion', direction } },
      { direction, tolerance: 0.01, min_units: 50 },
      { control: arm('off'), treatment: arm('on') },
      { alpha: 0.05, guards: 1, comparedWith: 'control' },
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
        { alpha: 0.05, guards: 1, comparedWith: 'control' },
      ).verdict;
    expect([verdictOf(null, 40), verdictOf(null, 360)]).toEqual(['harm', 'no_harm']);
    expect([verdictOf('down_is_good', 40), verdictOf('down_is_good', 360)]).toEqual(['no_harm', 'harm']);
  });

  it('counts proportions by units, and says nothing about a quantile without spread', () => {
    expect(ask(requests('off', 200, 0), requests('on', 200, 100), 'conversion')).toBe('harm');
    const flat = { value: 5, lower: 5, upper: 5, delta: 0.01 };
    const arms = [requests('off', 200, 190), requests('on', 200, 190)].map((arm) => ({ ...arm, quantile: flat }));
    expect(ask(arms[0] as ArmSums, arms[1] as ArmSums, 'quantile')).toBe('not_sure');
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
