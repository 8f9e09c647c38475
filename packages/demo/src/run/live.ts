import { setTimeout as sleep } from 'node:timers/promises';
import type { Emitter } from '../emit/emitter.ts';
import type { Evaluator } from '../flags/evaluator.ts';
import { type PlayedVisit, playAll, SLOT_MS, visitsIn } from './traffic.ts';

const TICK_MS = 250;
const METRICS_EVERY_MS = 10_000;
/** After a laptop wakes up, the missed traffic of a night must not be sent at once. */
const MAX_CATCH_UP_MS = 60_000;

export interface LiveOptions {
  emitter: Emitter;
  evaluator: Evaluator;
  /** Where history ended, milliseconds since the epoch, on a whole second. */
  from: number;
  seed: number;
  peakRate: number;
  signal: AbortSignal;
  now: () => number;
}

/**
 * Plays traffic as it happens until the signal aborts. Each visit is emitted when it is over, as a real service's spans
 * are; visits in progress at the end are never emitted.
 */
export async function playLive(options: LiveOptions): Promise<void> {
  const { emitter, evaluator, signal, now } = options;
  const underWay = new Set<PlayedVisit>();
  let slot = options.from;
  // What is judged begins now, and visits of the last minute are made up for.
  const opened = now();
  let nextMetrics = Math.ceil(now() / METRICS_EVERY_MS) * METRICS_EVERY_MS;
  while (!signal.aborted) {
    slot = Math.max(slot, Math.floor((now() - MAX_CATCH_UP_MS) / SLOT_MS) * SLOT_MS);
    for (; slot + SLOT_MS <= now() && !signal.aborted; slot += SLOT_MS) {
      for (const visit of await playAll(visitsIn(slot, options), evaluator, { isOpen: slot >= opened }))
        underWay.add(visit);
    }
    const at = now();
    for (const visit of underWay) {
      if (visit.end > at) continue;
      underWay.delete(visit);
      emitter.emit(visit.roots, visit.answers.evaluations, visit.random);
    }
    if (at >= nextMetrics) {
      await emitter.collect(nextMetrics);
      nextMetrics = Math.floor(at / METRICS_EVERY_MS) * METRICS_EVERY_MS + METRICS_EVERY_MS;
    }
    emitter.offer();
    await sleep(TICK_MS, undefined, { signal }).catch((reason: unknown) => {
      if (!signal.aborted) throw reason;
    });
  }
}
