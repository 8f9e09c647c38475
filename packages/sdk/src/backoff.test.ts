import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

describe('backoff', () => {
  const steps = { baseMs: 500, capMs: 30_000 };

  it('doubles up to the cap', () => {
    const almost = 1 - Number.EPSILON;
    const waits = [0, 1, 2, 6, 1_000].map((failures) => Math.round(backoffMs({ ...steps, failures }, almost)));
    expect(waits).toEqual([500, 1_000, 2_000, 30_000, 30_000]);
  });

  it('spreads over the whole range, and never waits less than the server requested', () => {
    expect(backoffMs({ ...steps, failures: 3 }, 0)).toBe(0);
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(), fc.nat(100_000), random, (failures, floorMs, dice) => {
        const waited = backoffMs({ ...steps, failures, floorMs }, dice);
        expect(waited).toBeGreaterThanOrEqual(floorMs);
        expect(waited).toBeLessThanOrEqual(floorMs + steps.capMs);
      }),
    );
  });
});
