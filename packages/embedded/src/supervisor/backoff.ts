/** A child that ran for this long counts as healthy: its next failure is counted as a first one. */
export const HEALTHY_AFTER_MS = 60_000;

const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/**
 * Milliseconds to wait before restarting a child after `failures` consecutive failures: none after the first (a kill -9
 * should cost as little as possible), then doubling.
 */
export function backoffMs(failures: number): number {
  return failures <= 1 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 2));
}
