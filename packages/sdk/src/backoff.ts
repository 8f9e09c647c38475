export interface Backoff {
  /** How many times in a row it failed; 0 after a success. */
  readonly failures: number;
  /** What the server asked for by `Retry-After` or `retry:`; never less is waited. */
  readonly floorMs?: number | undefined;
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * How long to wait before the next attempt: exponential with full jitter, so that many clients that lost one server
 * at once do not come back at once ("Exponential backoff and jitter", AWS Architecture Blog).
 *
 * @param random in [0, 1)
 */
export function backoffMs({ failures, floorMs = 0, baseMs, capMs }: Backoff, random: number): number {
  // 2^30 times anything is above every cap, and stays a number.
  return floorMs + random * Math.min(capMs, baseMs * 2 ** Math.min(failures, 30));
}
