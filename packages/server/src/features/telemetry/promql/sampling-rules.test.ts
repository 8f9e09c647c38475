import { describe, expect, it } from 'vitest';
import { samplingOf, stepOf, stepsIn } from './sampling-rules.ts';

describe('samples of derived metrics', () => {
  it('are 15 seconds apart, and further in long windows if four of them fit into a range', () => {
    expect(stepOf({ start: 0, end: 600_000 })).toBe(15_000);
    const week = { start: 0, end: 7 * 86_400_000 };
    expect(stepOf(week, 3_600_000)).toBe(405_000);
    expect([stepOf(week), stepOf(week, 300_000), stepOf(week, 1_000)]).toEqual([120_000, 75_000, 15_000]);
  });
  it('are at multiples of the step', () => {
    expect(stepsIn({ start: 15_000, end: 60_000 }, 15_000)).toEqual([30_000, 45_000, 60_000]);
    expect(stepsIn({ start: 15_001, end: 29_999 }, 15_000)).toEqual([]);
    expect(samplingOf({ start: 15_000, end: 50_000 }).times).toEqual([30_000, 45_000]);
  });
});
