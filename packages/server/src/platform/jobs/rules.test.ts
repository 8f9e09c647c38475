import { describe, expect, it } from 'vitest';
import { backoffMs, nextTickMs } from './rules.ts';

describe('backoff', () => {
  it('doubles from a second up to a quarter of an hour', () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(failures, 1))).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(backoffMs(11, 1)).toBe(900_000);
    expect(backoffMs(10_000, 1)).toBe(900_000);
  });

  it('spreads jobs that failed together over the upper half', () => {
    expect(backoffMs(3, 0)).toBe(2_000);
    expect(backoffMs(3, 0.5)).toBe(3_000);
  });
});

describe('the next tick', () => {
  it('is on the grid, so that replicas agree on it', () => {
    expect(nextTickMs(60_000, 120_000)).toBe(180_000);
    expect(nextTickMs(60_000, 179_999)).toBe(180_000);
  });

  it('skips what was missed', () => {
    expect(nextTickMs(1_000, 1_000_500)).toBe(1_001_000);
  });
});
