import { getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling worker thread, so that the main thread, which answers evaluations, need not wait for
 * it. Only Linux has a priority for each thread; elsewhere nothing changes.
 * @param by steps of `nice`, below the priority of the process
 */
export function lowerThreadPriority(by: number): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(19, getPriority(0) + by));
  } catch {
    // A sandbox may forbid it. The thread works all the same, and evaluations wait for it a little longer.
  }
}
