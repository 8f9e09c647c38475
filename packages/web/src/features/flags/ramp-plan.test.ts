import { expect, it } from 'vitest';
import { holdText, leftMs, planMs, type Ramp, readSteps } from './ramp-plan.ts';

const ramp: Ramp = {
  id: '',
  flag: 'f',
  environment: 'production',
  variant: 'true',
  bucket_by: null,
  steps: [
    { weight: 5000, hold: '1h' },
    { weight: 50_000, hold: '2h' },
    { weight: 100_000, hold: '30m' },
  ],
  status: 'running',
  step: 1,
  weight: 50_000,
  step_started_at: '2026-01-01T12:00:00.000Z',
  next_step_at: '2026-01-01T14:00:00.000Z',
  started_at: '2026-01-01T11:00:00.000Z',
  started_by: null,
  ended_at: null,
};

it('adds the time left of the current step and of the later steps', () => {
  const now = Date.UTC(2026, 0, 1, 13, 30);
  expect(leftMs(ramp, now)).toEqual({ step: 1_800_000, all: 3_600_000, share: 0.75 });
  expect(leftMs(ramp, now + 7_200_000)).toEqual({ step: 0, all: 1_800_000, share: 1 });
  expect(leftMs({ ...ramp, status: 'paused', next_step_at: null }, now)).toBeNull();
  expect(planMs(ramp.steps)).toBe(3.5 * 3_600_000);
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
