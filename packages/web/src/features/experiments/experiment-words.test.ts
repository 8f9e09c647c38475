import { describe, expect, it } from 'vitest';
import { meanText } from '../judging/judging-words.ts';
import {
  barOf,
  bestOf,
  daysOf,
  differenceText,
  headlineOf,
  intervalText,
  liftText,
  neededText,
  pText,
  rangeOf,
  scaleOf,
} from './experiment-words.ts';
import type { MeasuredMetric, VariantNumbers } from './queries.ts';

const numbers: VariantNumbers = {
  variant: 'on',
  n: 100,
  mean: 0.2,
  absolute: { difference: 0.05, interval: [-0.01, 0.11], p_value: 0.1 },
  lift: 0.25,
  lift_interval: [-0.05, 0.55],
  p_value_adjusted: 0.1,
  chance_to_win: null,
  risk: null,
  significant: false,
  verdict: 'no_difference_yet',
  reason: null,
  power: 0.3,
  days_left: 12,
};

const control: VariantNumbers = { ...numbers, variant: 'off', verdict: 'control', absolute: null, lift: null };

describe('words of experiments', () => {
  it('show the interval that the verdict comes from on the scale of lifts', () => {
    expect(rangeOf({ variants: [control, numbers] }, numbers)).toEqual([expect.closeTo(-0.05), expect.closeTo(0.55)]);
    expect(rangeOf({ variants: [numbers] }, numbers)).toBeNull();
    expect(rangeOf({ variants: [{ ...control, mean: 0 }, numbers] }, numbers)).toBeNull();
  });
  it('show lifts with their sign', () => {
    expect([liftText(0.25), liftText(-0.05), liftText(0), liftText(null)]).toEqual(['+25%', '−5%', '0%', '–']);
    expect(intervalText([-0.05, 0.55])).toBe('−5% to +55%');
  });
  it('show shares as percentages, and other means as numbers', () => {
    const text = (key: string, kind: string, mean: number | null) => meanText({ key, kind }, mean);
    expect([text('bought', 'conversion', 0.125), text('paid', 'sum', 12.5), text('paid', 'mean', null)]).toEqual([
      '12.5%',
      '12.5',
      '–',
    ]);
    expect([text('error_rate', 'ratio', 0.02), text('latency_p95', 'quantile', 8e6)]).toEqual(['2%', '8 ms']);
  });
  it('say what is missing for a verdict', () => {
    expect(neededText(numbers, 0.05)).toBe('about 12 more days to detect a change of 5%');
    expect(neededText({ ...numbers, days_left: 0 }, 0.1)).toBe('enough data: a change of 10% is ruled out');
    expect(neededText({ ...numbers, significant: true, verdict: 'better' }, 0.05)).toBe('');
    expect(neededText({ ...numbers, chance_to_win: 0.97, days_left: 1 }, 0.05)).toMatch(
      /^97% chance to win; about 1 more day/,
    );
    expect(neededText({ ...numbers, reason: 'A verdict needs 10 events in each arm.' }, 0.05)).toMatch(/10 events/);
  });
  it('show differences of shares in points', () => {
    const text = (kind: string, difference: number | null) => differenceText({ key: 'paid', kind }, difference);
    expect([text('conversion', 0.0512), text('sum', -2.5), text('mean', null)]).toEqual(['+5.12 points', '−2.5', '–']);
    expect([pText(0.1), pText(1e-9), pText(null)]).toEqual(['0.100', '< 0.001', '–']);
  });
});

describe('the answer of an experiment', () => {
  const metric = { metric: 'm', key: 'm', name: 'Purchase', kind: 'conversion', direction: 'up_is_good' } as const;
  const better = { ...numbers, verdict: 'better', significant: true } as const;
  const measured = (role: 'goal' | 'guardrail', ...variants: VariantNumbers[]) => ({
    ...metric,
    role,
    error: null,
    variants: [control, ...variants],
  });
  const results = (...metrics: MeasuredMetric[]) => ({ reliable: true, metrics, health: { exposures: 200 } });
  const headline = (of: ReturnType<typeof results>) => headlineOf({ control: 'off', effect: 0.05 }, of);

  it('names the variant that is better, and what it harms', () => {
    const goal = measured('goal', better);
    expect(headline(results(goal))).toEqual({
      kind: 'ok',
      text: 'on is better: Purchase changes by +25% (between −5% and +55%).',
    });
    const harmed = results(goal, measured('guardrail', { ...numbers, verdict: 'worse' }));
    expect(headline(harmed).kind).toBe('warning');
    expect(headline(harmed).text).toMatch(/But Purchase gets worse with on\.$/);
    expect([bestOf(results(goal)), bestOf(harmed)]).toEqual(['on', null]);
  });

  it('keeps the control if a variant is worse, and says how long more takes if none is', () => {
    expect(headline(results(measured('goal', { ...numbers, verdict: 'worse' }))).text).toMatch(
      /^on is worse.* Keep off\.$/,
    );
    expect(headline(results(measured('goal', numbers))).text).toMatch(
      /Detecting a change of 5% takes about 12 more days/,
    );
    expect(headline({ ...results(), reliable: false }).kind).toBe('error');
  });

  it('chooses among better variants by the lift, and none that is worse by another goal', () => {
    const other = { ...better, variant: 'blue', lift: 0.4 };
    expect(bestOf(results(measured('goal', better, other)))).toBe('blue');
    const mixed = measured('goal', { ...numbers, variant: 'blue', verdict: 'worse' });
    expect(bestOf(results(measured('goal', better, other), mixed))).toBe('on');
    expect(bestOf({ ...results(measured('goal', better)), reliable: false })).toBeNull();
  });
});

it('follows the difference of one variant by day', () => {
  const point = (day: number, variant: string) => ({
    time: `2026-11-0${day}T00:00:00.000Z`,
    metric: 'm',
    variant,
    n: 1,
    mean: 1,
    difference: day,
    interval: day === 1 ? null : ([day - 1, day + 1] as [number, number]),
  });
  const points = [point(1, 'on'), point(1, 'off'), point(2, 'on')];
  expect(daysOf(points, 'm', 'on')).toMatchObject({ difference: [1, 2], low: [null, 1], high: [null, 3] });
});

describe('bars of intervals', () => {
  it('share one scale, and are cut at its ends', () => {
    const metric = { metric: 'm', key: 'm', name: 'm', kind: 'conversion', direction: 'up_is_good' } as const;
    const table = [{ ...metric, role: 'goal' as const, error: null, variants: [control, numbers] }];
    expect(scaleOf(table)).toBeCloseTo(0.55);
    expect(scaleOf([])).toBe(0.01);
    expect(barOf(0.25, [-0.5, 0.5], 0.5)).toEqual({ from: 0, to: 1, at: 0.75 });
    expect(barOf(0, [-9, 9], 0.5)).toEqual({ from: 0, to: 1, at: 0.5 });
    expect(barOf(null, null, 1)).toBeNull();
  });
});
