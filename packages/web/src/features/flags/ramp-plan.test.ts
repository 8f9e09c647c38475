import { expect, it } from 'vitest';
import { holdText, planMs, readSteps } from './ramp-plan.ts';

it('adds the times of all steps', () => {
  expect(planMs([{ hold: '1h' }, { hold: '2h' }, { hold: '30m' }])).toBe(3.5 * 3_600_000);
});

it('formats hold times', () => {
  expect(holdText('1h')).toBe('1 hour');
  expect(holdText('30m')).toBe('30 minutes');
});

it('requires increasing steps above the current percentage', () => {
  const step = (percent: string, count = '1') => ({ uid: percent, percent, count, unit: 'h' });
  expect(readSteps([step('10'), step('50,5')], 10_000)).toEqual({
    steps: [
      { weight: 10_000, hold: '1h' },
      { weight: 50_500, hold: '1h' },
    ],
    errors: [undefined, undefined],
  });
  expect(readSteps([step('5'), step('50'), step('50'), step('x'), step('60', '0')], 10_000).errors).toEqual([
    expect.stringContaining('above the previous step'),
    undefined,
    expect.stringContaining('above the previous step'),
    expect.stringContaining('percentage'),
    expect.stringContaining('whole number'),
  ]);
});
