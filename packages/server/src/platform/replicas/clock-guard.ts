import type { Clock } from '../clock.ts';
import { aheadOf } from './rules.ts';

/**
 * Compares the clock of this server with that of the control plane, which all servers share. Leases, windows of rules and steps of
 * rollouts are times of each server's own clock, so a server whose clock is far off would take the work of the others and decide wrongly.
 */
export interface ClockGuard {
  /** How much this server's clock is ahead, in milliseconds, by the last comparison and how it has run since; undefined: not compared yet. */
  aheadMs(): number | undefined;
  /** Whether this server may do what depends on its clock: jobs, alert rules, notifications. */
  isTrusted(): boolean;
  /** Asks the control plane for its time, in milliseconds since the epoch, and compares. Undefined: it did not say. */
  compare(ask: () => Promise<number | undefined>): Promise<void>;
}

/** For a control plane on the same machine, which has the same clock. */
export const sameClock: ClockGuard = {
  aheadMs: () => 0,
  isTrusted: () => true,
  async compare(ask) {
    await ask();
  },
};

/**
 * @param maxSkewMs a clock that is further off is not trusted
 * @param monotonicMs a clock that nobody can set. It shows immediately that the other one was set, before the next comparison
 */
export function createClockGuard({
  clock,
  maxSkewMs,
  monotonicMs = () => performance.now(),
}: {
  readonly clock: Clock;
  readonly maxSkewMs: number;
  readonly monotonicMs?: () => number;
}): ClockGuard {
  let last: { readonly aheadMs: number; readonly at: number; readonly monotonic: number } | undefined;
  const aheadMs = () => last && last.aheadMs + (clock.now() - last.at) - (monotonicMs() - last.monotonic);
  return {
    aheadMs,
    isTrusted() {
      const ahead = aheadMs();
      return ahead !== undefined && Math.abs(ahead) <= maxSkewMs;
    },
    async compare(ask) {
      const before = clock.now();
      const controlPlaneMs = await ask();
      if (controlPlaneMs === undefined) return;
      const after = clock.now();
      last = { aheadMs: aheadOf({ before, after, other: controlPlaneMs }), at: after, monotonic: monotonicMs() };
    },
  };
}
