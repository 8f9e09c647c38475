import { setTimeout as pause } from 'node:timers/promises';
import { lacksRoom } from './failures.ts';

/** Before each further attempt. An insert or a merge of the embedded store ends within about a second. */
const PAUSES_MS = [250, 750, 1500];

/**
 * Repeats a read that found no memory in the store because of what else runs there. It has answered nothing yet: a statement fails before
 * its first row, or as a whole.
 * @param pauses milliseconds before each further attempt
 */
export async function whenThereIsRoom<T>(read: () => Promise<T>, signal: AbortSignal, pauses = PAUSES_MS): Promise<T> {
  for (const ms of pauses) {
    try {
      return await read();
    } catch (error) {
      if (!lacksRoom(error)) throw error;
      await pause(ms, undefined, { signal });
    }
  }
  return read();
}
