import { describe, expect, it } from 'vitest';
import { createClockGuard, sameClock } from './clock-guard.ts';
import { aheadOf } from './rules.ts';

const hour = 3_600_000;

describe('aheadOf', () => {
  it.each([
    ['the same time', { before: 100, after: 100, other: 100 }, 0],
    ['an answer that took long', { before: 100, after: 9_100, other: 4_000 }, 0],
    ['a clock ahead', { before: 5_000, after: 5_100, other: 2_000 }, 3_000],
    ['a clock behind', { before: 2_000, after: 2_100, other: 5_100 }, -3_000],
  ])('takes the least difference that explains %s', (_name, times, ahead) => {
    expect(aheadOf(times)).toBe(ahead);
  });
});

describe('the clock guard', () => {
  function guarded() {
    const at = { clock: 1_000, monotonic: 50, controlPlane: 1_000 };
    const guard = createClockGuard({
      clock: { now: () => at.clock },
      maxSkewMs: 10_000,
      monotonicMs: () => at.monotonic,
    });
    const pass = (ms: number) => {
      for (const name of ['clock', 'monotonic', 'controlPlane'] as const) at[name] += ms;
    };
    return { at, guard, pass, compare: () => guard.compare(async () => at.controlPlane) };
  }

  it('does not trust a clock that was never compared', async () => {
    const { guard } = guarded();
    expect([guard.isTrusted(), guard.aheadMs()]).toEqual([false, undefined]);
    await guard.compare(async () => undefined);
    expect(guard.isTrusted()).toBe(false);
  });

  it('trusts a clock within the bound, and not one beyond it', async () => {
    const { at, guard, compare } = guarded();
    for (const [ahead, isTrusted] of [
      [0, true],
      [10_000, true],
      [10_001, false],
      [-10_000, true],
      [-hour, false],
    ] as const) {
      at.clock = at.controlPlane + ahead;
      await compare();
      expect([guard.aheadMs(), guard.isTrusted()]).toEqual([ahead, isTrusted]);
    }
  });

  it('notices between comparisons that the clock was set, and that it was set back', async () => {
    const { at, guard, pass, compare } = guarded();
    await compare();
    pass(hour);
    expect(guard.isTrusted()).toBe(true);
    at.clock += hour;
    expect([guard.aheadMs(), guard.isTrusted()]).toEqual([hour, false]);
    at.clock -= hour;
    expect(guard.isTrusted()).toBe(true);
  });

  it('trusts the clock of the machine that has the control plane', async () => {
    let asked = 0;
    await sameClock.compare(async () => ++asked);
    expect([sameClock.isTrusted(), asked]).toEqual([true, 1]);
  });
});
