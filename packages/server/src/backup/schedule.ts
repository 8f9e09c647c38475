import type { Clock } from '../platform/clock.ts';
import type { Backups } from './backups.ts';
import { BackupBusy } from './rows/lock-store.ts';
import { dueAt, type Schedule } from './rules.ts';

/** Timers hold at most 24.8 days. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** After which a server looks whether the backup of another one is complete. */
const BUSY_MS = 30_000;

/**
 * Takes backups at an interval, counted from the newest one in the place, so that restarts change nothing. Servers that share their stores
 * are due at the same time: one takes the backup, and the others find it there.
 * @param o.lastSuccess when the newest one was taken, in milliseconds since the epoch
 * @param o.readNewest the same, read again
 */
export function scheduleBackups(
  { place, intervalMs, keep }: Schedule,
  o: {
    readonly backups: Pick<Backups, 'run' | 'noted'>;
    readonly lastSuccess: Promise<number | undefined>;
    readonly readNewest: () => Promise<number | undefined>;
    readonly clock: Clock;
  },
): { stop(): void } {
  let lastSuccess: number | undefined;
  let lastFailure: number | undefined;
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const take = async () => {
    try {
      await o.backups.run({ place, by: 'the schedule', keep, unlessSince: o.clock.now() - intervalMs });
      [lastSuccess, lastFailure] = [o.clock.now(), undefined];
    } catch (error) {
      // Counted and logged with its reason where it ran.
      if (error instanceof BackupBusy) await findOther();
      else lastFailure = o.clock.now();
    }
  };
  const findOther = async () => {
    const newest = await o.readNewest();
    notBefore = o.clock.now() + Math.min(intervalMs, BUSY_MS);
    if (newest === undefined || newest === lastSuccess) return;
    [lastSuccess, lastFailure] = [newest, undefined];
    o.backups.noted(newest);
  };
  const wait = () => {
    if (stopped) return;
    const now = o.clock.now();
    const ms = Math.max(notBefore, dueAt(intervalMs, { lastSuccess, lastFailure }, now)) - now;
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
