import { describe, expect, it } from 'vitest';
import { samplingOf, stepOf, stepsIn } from './sampling-rules.ts';

describe('samples of derived metrics', () => {
  it('are 15 seconds apart, and further in long windows', () => {
    expect(stepOf({ start: 0, end: 600_000 })).toBe(15_000);
    expect(stepOf({ start: 0, end: 7 * 86_400_000 })).toBe(405_000);
  });
  it('are at multiples of the step', () => {
    expect(stepsIn({ start: 15_000, end: 60_000 }, 15_000)).toEqual([30_000, 45_000, 60_000]);
    expect(stepsIn({ start: 15_001, end: 29_999 }, 15_000)).toEqual([]);
    expect(samplingOf({ start: 15_000, end: 50_000 }).times).toEqual([30_000, 45_000]);
  });
});
