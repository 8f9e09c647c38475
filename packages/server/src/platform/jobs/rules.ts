const firstRetryMs = 1_000;
const longestRetryMs = 15 * 60_000;

/**
 * How long a job waits after its nth consecutive failure: from one second up to 15 minutes, doubled each time, at a
 * random point in the upper half, so that jobs that failed together are not retried together.
 * @param failures 1 after the first failure
 * @param random in [0, 1)
 */
export function backoffMs(failures: number, random: number): number {
  const longest = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(longest * (0.5 + random / 2));
}

/** The first multiple of `everyMs` after `nowMs`: missed runs are skipped. */
export function nextTickMs(everyMs: number, nowMs: number): number {
  return Math.floor(nowMs / everyMs) * everyMs + everyMs;
}
