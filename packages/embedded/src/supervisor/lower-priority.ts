import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const LOWEST = 19;

/**
 * Lowers the priority of this process, with all its threads and those they start, so that a request that the server can
 * answer from its own memory does not wait behind the work of a store.
 * @param by steps of `nice`, from the priority that the process was started with
 * @throws Error if the system does not allow it
 */
export function lowerPriority(by: number): void {
  // On Linux each thread has its own priority, which threads that it starts inherit.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) setPriority(thread, Math.min(LOWEST, getPriority(thread) + by));
}
