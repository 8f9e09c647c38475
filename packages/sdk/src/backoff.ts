export interface Backoff {
  /** Number of consecutive failures; 0 after a success. */
  readonly failures: number;
  /** The minimum that the server requested with `Retry-After` or `retry:`. */
  readonly floorMs?: number | undefined;
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * How long to wait before the next attempt: exponential with full jitter, so that many clients of a failed server do
 * not reconnect at once ("Exponential backoff and jitter", AWS Architecture Blog).
 *
 * @param random in [0, 1)
 */
export function backoffMs({ failures, floorMs = 0, baseMs, capMs }: Backoff, random: number): number {
  // 2^30 is above every cap, and the product stays finite.
  return floorMs + random * Math.min(capMs, baseMs * 2 ** Math.min(failures, 30));
}
