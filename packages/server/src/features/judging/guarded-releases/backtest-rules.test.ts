import { describe, expect, it } from 'vitest';
import type { ArmSums } from '../metrics/index.ts';
import { builtInMetric } from '../metrics/index.ts';
import { stepsOf } from './backtest-rules.ts';

const errorRate = builtInMetric('error_rate');
if (errorRate === undefined) throw new Error('error_rate is built in');
const none = { p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0, quantile: null, skipped: 0 };
/** 10,000 traces with one request each. */
const past = (errors: number): ArmSums => {
  const n = 10_000;
  const sums = { x: errors, xx: errors, y: n, yy: n, xy: errors, active: n, events: errors, rows: n };
  return { variant: 'control', slice: '', n, ...sums, ...none };
};
const guard = { direction: null, tolerance: 0.01, min_units: 100 };
const steps = [
  { weight: 1_000, hold: '30m', min_units: 100 },
  { weight: 50_000, hold: '1d', min_units: 100 },
];
const planOf = (arm: ArmSums | undefined, over: Partial<typeof guard & { scale: 'relative' }> = {}, plan = steps) =>
  stepsOf(errorRate, { ...guard, ...over }, arm, {
    definition: { steps: plan, guards: [guard], alpha: 0.05 },
    unitsPerDay: 48_000,
  });

describe('the plan of the steps', () => {
  it('tells when a guard decides, and that a short step with little traffic cannot', () => {
    const [first, second] = planOf(past(50));
    // 1 % of 48,000 units a day is 20 an hour.
    expect(first).toMatchObject({ units_per_arm: 10, smallest_regression: null, clears_within_hold: false });
    expect(second).toMatchObject({ units_per_arm: 24_000, clears_within_hold: true });
    expect(first?.seconds_to_clear).toBeGreaterThan(24 * 3_600);
    expect(second?.seconds_to_clear).toBeGreaterThan(0);
    expect(second?.seconds_to_detect).toBeLessThan(24 * 3_600);
    expect(second?.smallest_regression).toBeGreaterThan(0.01);
    expect(second?.smallest_regression).toBeLessThan(0.02);
  });

  it('counts the units of the steps before', () => {
    const [, alone] = planOf(past(50));
    const [, after] = planOf(past(50), {}, [{ weight: 10_000, hold: '4h', min_units: 100 }, ...steps.slice(1)]);
    expect(after?.seconds_to_clear).toBeLessThan(alone?.seconds_to_clear ?? 0);
  });

  it('knows the times for an error rate that was zero', () => {
    const [, step] = planOf(past(0));
    expect(step).toMatchObject({ seconds_to_detect: expect.any(Number), clears_within_hold: true });
  });

  it.each<[string, ReturnType<typeof planOf>, object]>([
    ['without a tolerance', planOf(past(50), { tolerance: 0 }), { seconds_to_clear: null, clears_within_hold: false }],
    ['without units', planOf(undefined), { seconds_to_detect: null, clears_within_hold: null }],
    [
      'with a part of zero as tolerance',
      planOf(past(0), { scale: 'relative' }),
      { seconds_to_clear: null, clears_within_hold: false },
    ],
  ])('says what is never decided: %s', (_name, [, step], expected) => {
    expect(step).toMatchObject(expected);
  });

  it('takes longer with a control group that is the rest of a step above a half', () => {
    const [half] = planOf(past(50));
    const [most] = planOf(past(50), {}, [...steps, { weight: 90_000, hold: '1d', min_units: 100 }]);
    expect(most?.seconds_to_clear).toBeGreaterThan(half?.seconds_to_clear ?? 0);
    expect(most?.units_per_arm).toBe(1);
  });
});
