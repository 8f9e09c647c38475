import { setTimeout as pause } from 'node:timers/promises';
import { fail } from '../../fail.ts';
import { lacksRoom } from './failures.ts';

/** Before each further attempt. An insert or a merge of the embedded store ends within about a second; a large query takes longer. */
const PAUSES_MS = [250, 750, 1_500, 3_000, 6_000];
/** A read that ran for longer has much of the memory itself: asked again, it would fill it again. */
const OWN_MS = 3_000;

/**
 * Repeats a read that found no memory in the store because of what else runs there. It has answered nothing yet: a statement fails before
 * its first row, or as a whole.
 * @param pauses milliseconds before each further attempt
 * @throws Failure `QUERY_TOO_EXPENSIVE` for a read that filled the memory
 */
export async function whenThereIsRoom<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
  { pauses = PAUSES_MS, ownMs = OWN_MS }: { readonly pauses?: readonly number[]; readonly ownMs?: number } = {},
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const began = performance.now();
    try {
      return await read();
    } catch (error) {
      if (!lacksRoom(error)) throw error;
      if (performance.now() - began > ownMs) throw fail('QUERY_TOO_EXPENSIVE', { reason: filled }, { cause: error });
      const ms = pauses[attempt];
      if (ms === undefined) throw error;
      await pause(ms, undefined, { signal });
    }
  }
}

const filled =
  "together with other work, it filled the telemetry store's memory; group by less, narrow the time window, or run fewer queries at once";
