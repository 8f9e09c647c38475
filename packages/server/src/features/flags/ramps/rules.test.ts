import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationMs } from '../../../platform/durations.ts';
import { checkRamp, endOfStep, heldMs, type RampClock, step } from './rules.ts';

const start = new Date('2026-11-20T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const ramp = (change: Partial<RampClock> = {}): RampClock => ({
  status: 'running',
  steps: [
    { weight: 10_000, hold: '1h' },
    { weight: 50_000, hold: '30m' },
    { weight: 100_000, hold: '1d' },
  ],
  step: 0,
  step_started_at: start,
  held_ms: 0,
  ...change,
});

describe('the hold of a step', () => {
  it('is an error in an unknown unit instead of ending at once', () => {
    expect(durationMs('2w')).toBe(1_209_600_000);
    expect(() => durationMs('2y')).toThrow('2y');
  });
});

describe('a ramp in time', () => {
  it.each([
    ['1s', 1_000],
    ['90s', 90_000],
    ['5m', 300_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
  ])('%s is %i ms', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  it('waits for the hold, then steps', () => {
    expect(step(ramp(), after(3_599_999))).toEqual({ move: 'wait', until: after(3_600_000) });
    expect(step(ramp(), after(3_600_000))).toEqual({ move: 'advance', step: 1 });
  });

  it('takes only one step when it is late', () => {
    expect(step(ramp(), after(10 * 86_400_000))).toEqual({ move: 'advance', step: 1 });
  });

  it('completes after the hold of the last step', () => {
    expect(step(ramp({ step: 2 }), after(86_399_999)).move).toBe('wait');
    expect(step(ramp({ step: 2 }), after(86_400_000))).toEqual({ move: 'complete' });
  });

  it.each(['paused', 'completed', 'aborted'] as const)('does not move while it is %s', (status) => {
    expect(step(ramp({ status }), after(10 * 86_400_000))).toEqual({ move: 'none' });
    expect(endOfStep(ramp({ status }))).toBeNull();
  });

  it('holds a step for its whole time, regardless of pauses', () => {
    const pauses = fc.array(fc.tuple(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 0, max: 10_000_000 })), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(pauses, (spans) => {
        let now = start;
        let current = ramp();
        let run = 0;
        for (const [running, paused] of spans) {
          now = new Date(now.getTime() + running);
          run += running;
          current = { ...current, status: 'paused', held_ms: heldMs(current, now) };
          now = new Date(now.getTime() + paused);
          current = { ...current, status: 'running', step_started_at: now };
        }
        expect(endOfStep(current)?.getTime()).toBe(now.getTime() + Math.max(0, 3_600_000 - run));
      }),
    );
  });

  it('only increases from the current share of the variant', () => {
    const weights = (...list: number[]) => list.map((weight) => ({ weight, hold: '1h' }));
    expect(checkRamp(weights(10_000, 100_000), 0)).toEqual([]);
    expect(checkRamp(weights(10_000, 20_000), 10_000)).toEqual([]);
    expect(checkRamp(weights(5_000), 10_000).map(({ path }) => path)).toEqual(['steps.0.weight']);
    expect(checkRamp(weights(10_000, 10_000, 5_000), 0).map(({ path }) => path)).toEqual([
      'steps.1.weight',
      'steps.2.weight',
    ]);
    expect(checkRamp(weights(100_000), 100_000).map(({ path }) => path)).toEqual(['variant']);
  });
});
