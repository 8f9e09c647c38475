import { describe, expect, it } from 'vitest';
import { leastAttempts, nextAttemptAt, retryDelayMs, triedForMs } from './retry-rules.ts';

describe('the next attempt of a delivery', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [6, 32_000],
    [7, 60_000],
    [500, 60_000],
  ])('after %i attempts comes within %i ms, and not before half of that', (attempt, most) => {
    expect([retryDelayMs(attempt, undefined, 0), retryDelayMs(attempt, undefined, 1)]).toEqual([most / 2, most]);
  });

  it('comes when the receiver asks for it, if that is later', () => {
    expect([retryDelayMs(1, 120_000, 1), retryDelayMs(7, 5_000, 1)]).toEqual([120_000, 60_000]);
  });

  it('is not made after an hour', () => {
    const giveUpAt = triedForMs;
    const at = (now: number, retryAfterMs?: number) =>
      nextAttemptAt({ now, giveUpAt, attempt: leastAttempts, retryAfterMs }, 1);
    expect([at(0), at(triedForMs - 60_000), at(triedForMs - 59_999), at(0, triedForMs + 1)]).toEqual([
      60_000,
      triedForMs,
      null,
      null,
    ]);
  });

  it('is made after an hour in which few were made, unless the receiver asks for a pause', () => {
    const late = { now: 2 * triedForMs, giveUpAt: triedForMs };
    const next = (attempt: number, retryAfterMs?: number) => nextAttemptAt({ ...late, attempt, retryAfterMs }, 1);
    expect([next(1), next(leastAttempts - 1), next(leastAttempts), next(1, 60_000)]).toEqual([
      late.now + 1_000,
      late.now + 60_000,
      null,
      null,
    ]);
  });
});
