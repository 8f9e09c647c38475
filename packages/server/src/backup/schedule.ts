import type { Clock } from '../platform/clock.ts';
import type { Backups } from './backups.ts';
import { dueAt, type Schedule } from './rules.ts';

/** Timers hold at most 24.8 days. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/**
 * Takes backups at an interval, counted from the newest one in the place, so that restarts change nothing.
 * @param lastSuccess when the newest one was taken, in milliseconds since the epoch
 */
export function scheduleBackups(
  { place, intervalMs, keep }: Schedule,
  o: { readonly backups: Backups; readonly lastSuccess: Promise<number | undefined>; readonly clock: Clock },
): { stop(): void } {
  let lastSuccess: number | undefined;
  let lastFailure: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const take = async () => {
    try {
      await o.backups.run({ place, keep });
      [lastSuccess, lastFailure] = [o.clock.now(), undefined];
    } catch {
      // Counted and logged with its reason where it ran.
      lastFailure = o.clock.now();
    }
  };
  const wait = () => {
    if (stopped) return;
    const now = o.clock.now();
    const ms = dueAt(intervalMs, { lastSuccess, lastFailure }, now) - now;
    timer = setTimeout(() => (ms > LONGEST_WAIT_MS ? wait() : void take().then(wait)), Math.min(ms, LONGEST_WAIT_MS));
    timer.unref();
  };
  void o.lastSuccess.then((at) => {
    lastSuccess = at;
    wait();
  });
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
