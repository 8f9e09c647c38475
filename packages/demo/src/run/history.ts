import type { Emitter } from '../emit/emitter.ts';
import type { Evaluator } from '../flags/evaluator.ts';
import { type PlannedVisit, playAll, SLOT_MS, visitsIn } from './traffic.ts';

const MINUTE = 60_000;

export interface HistoryOptions {
  emitter: Emitter;
  evaluator: Evaluator;
  /** Milliseconds since the epoch, both on a whole minute; `to` is excluded. */
  from: number;
  to: number;
  seed: number;
  peakRate: number;
  signal: AbortSignal;
  /** Called after each minute of history, with the written share in (0, 1]. */
  onProgress: (share: number) => void;
}

/**
 * Writes history minute by minute, as fast as the server accepts it, with metrics at each minute's end. At most one
 * minute of traffic and the emitter's bounded batches are in memory. Stops early, with what was emitted, on abort.
 */
export async function writeHistory(options: HistoryOptions): Promise<void> {
  const { emitter, evaluator, from, to, signal } = options;
  for (let minute = from; minute < to && !signal.aborted; minute += MINUTE) {
    const planned: PlannedVisit[] = [];
    for (let slot = minute; slot < minute + MINUTE; slot += SLOT_MS) planned.push(...visitsIn(slot, options));
    for (const { roots, answers, random } of await playAll(planned, evaluator, { isOpen: false })) {
      emitter.emit(roots, answers.evaluations, random);
    }
    await emitter.collect(minute + MINUTE);
    await emitter.room();
    options.onProgress((minute + MINUTE - from) / (to - from));
  }
}
