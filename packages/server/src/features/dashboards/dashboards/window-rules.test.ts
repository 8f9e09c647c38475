import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignedWindow, roundStep } from './window-rules.ts';

const minute = 60_000_000_000n;

describe('the window of a dashboard', () => {
  it.each([
    [60_000, 1_000],
    [3_600_000, 30_000],
    [21_600_000, 120_000],
    [86_400_000, 600_000],
    [30 * 86_400_000, 21_600_000],
  ])('of %i ms is moved by steps of %i ms', (rangeMs, step) => {
    expect(roundStep(rangeMs)).toBe(step);
  });

  it('stays where its ends are fixed', () => {
    const window = { fromNs: 123n, toNs: 123n + 60n * minute };
    expect(alignedWindow(window, { from: '2026-11-20T00:00:00Z', to: '2026-11-20T01:00:00Z' })).toMatchObject(window);
  });

  it('covers what was asked for, and at most a hundredth more at each end', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 18n }),
        fc.bigInt({ min: 200n * 10n ** 9n, max: 10n ** 17n }),
        (from, range) => {
          const asked = { fromNs: from, toNs: from + range };
          const { fromNs, toNs } = alignedWindow(asked, { from: 'now-1h', to: 'now' });
          expect(fromNs <= asked.fromNs && toNs >= asked.toNs).toBe(true);
          expect(asked.fromNs - fromNs <= range / 100n && toNs - asked.toNs <= range / 100n).toBe(true);
        },
      ),
    );
  });

  it('is the same for everybody who asks within a step', () => {
    const at = (second: bigint) => {
      const now = 1_700_000_010_000_000_000n + second * 1_000_000_000n;
      return alignedWindow({ fromNs: now - 60n * minute, toNs: now }, {});
    };
    expect(at(1n)).toEqual(at(29n));
    expect(at(1n)).not.toEqual(at(31n));
  });
});
