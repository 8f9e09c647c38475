import { describe, expect, it } from 'vitest';
import { barOf, evidenceText, intervalText, liftText, meanText, scaleOf } from './experiment-words.ts';
import type { VariantNumbers } from './queries.ts';

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

describe('words of experiments', () => {
  it('show lifts with their sign', () => {
    expect([liftText(0.25), liftText(-0.05), liftText(0), liftText(null)]).toEqual(['+25%', '−5%', '0%', '–']);
    expect(intervalText([-0.05, 0.55])).toBe('−5% to +55%');
  });
  it('show shares as percentages, and other means as numbers', () => {
    expect([meanText('conversion', 0.125), meanText('sum', 12.5), meanText('mean', null)]).toEqual([
      '12.5%',
      '12.5',
      '–',
    ]);
  });
  it('say what the evidence is, and how long more takes', () => {
    expect(evidenceText(numbers)).toBe('p 0.100; about 12 more days');
    expect(evidenceText({ ...numbers, significant: true, p_value_adjusted: 1e-9 })).toBe('p < 0.001');
    expect(evidenceText({ ...numbers, chance_to_win: 0.97, days_left: 0 })).toMatch(/^97% chance to win; enough data/);
    expect(evidenceText({ ...numbers, reason: 'A verdict needs 10 events in each arm.' })).toMatch(/10 events/);
  });
});

describe('bars of intervals', () => {
  it('share one scale, and are cut at its ends', () => {
    const metric = { id: 'm', key: 'm', name: 'm', kind: 'conversion', direction: 'up_is_good' } as const;
    const table = [{ metric, role: 'goal' as const, error: null, variants: [numbers] }];
    expect(scaleOf(table)).toBe(0.55);
    expect(scaleOf([])).toBe(0.01);
    expect(barOf(0.25, [-0.5, 0.5], 0.5)).toEqual({ from: 0, to: 1, at: 0.75 });
    expect(barOf(0, [-9, 9], 0.5)).toEqual({ from: 0, to: 1, at: 0.5 });
    expect(barOf(null, null, 1)).toBeNull();
  });
});
