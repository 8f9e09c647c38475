import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const LOWEST = 19;
const THREADS = '/proc/self/task';

/**
 * Lowers the priority of this process, with all its threads and those they start, so that a request that the server can
 * answer from its own memory does not wait behind the work of a store.
 * @param by steps of `nice`, from the priority that the process was started with
 * @throws Error if the system does not allow it
 */
export function lowerPriority(by: number): void {
  // On Linux each thread has its own priority, which threads that it starts inherit.
  const threads = process.platform === 'linux' ? readdirSync(THREADS).map(Number) : [process.pid];
  for (const thread of threads) lower(thread, by);
}

/**
 * Lowers threads of this process by their name, which a library starts when it first needs them. Only Linux has a priority
 * for each thread; elsewhere nothing changes.
 * @param by steps of `nice`, from the priority that they have
 * @returns looks for them. Call it now and then: it lowers each thread once, and looks no further when a look finds no more of them.
 * It throws an Error if the system does not allow it.
 */
export function loweringThreads(name: string, by: number): () => void {
  const lowered = new Set<number>();
  let isComplete = process.platform !== 'linux';
  return () => {
    if (isComplete) return;
    const found = threadsNamed(name).filter((thread) => !lowered.has(thread));
    isComplete = found.length === 0 && lowered.size > 0;
    for (const thread of found) {
      lowered.add(thread);
      lower(thread, by);
    }
  };
}

function lower(thread: number, by: number): void {
  setPriority(thread, Math.min(LOWEST, getPriority(thread) + by));
}

function threadsNamed(name: string): number[] {
  return readdirSync(THREADS)
    .filter((thread) => nameOf(thread) === name)
    .map(Number);
}

/** Undefined where the thread has just ended. */
function nameOf(thread: string): string | undefined {
  try {
    return readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
