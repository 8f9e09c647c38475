/** Delays between the attempts of a delivery: 1 s, doubling to 60 s. */
const firstMs = 1_000;
const longestMs = 60_000;
/** A receiver may ask for more, as far as that is within the time for which a delivery is tried. */
export const triedForMs = 3_600_000;

/**
 * A delivery gets so many attempts even if its time is over: an outage of the control plane, or a clock that jumped ahead, is not
 * time in which the receiver refused it.
 */
export const leastAttempts = 10;

/**
 * How long to wait before the next attempt.
 * @param attempt how many there have been, 1 after the first
 * @param random from 0 to 1: spreads the attempts of many deliveries over the second half of the delay
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 10));
  return Math.max(Math.round(full * (0.5 + random / 2)), retryAfterMs ?? 0);
}

/** When to try again; null: the time for which a delivery is tried is over by then, and it was tried often enough. */
export function nextAttemptAt(
  {
    now,
    giveUpAt,
    attempt,
    retryAfterMs,
  }: { now: number; giveUpAt: number; attempt: number; retryAfterMs: number | undefined },
  random: number,
): number | null {
  const at = now + retryDelayMs(attempt, retryAfterMs, random);
  if (at <= giveUpAt) return at;
  // A receiver that asks for a long pause gets no more than its time.
  return attempt < leastAttempts && retryAfterMs === undefined ? at : null;
}
