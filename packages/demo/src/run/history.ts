import type { Emitter } from '../emit/emitter.ts';
import type { Evaluator } from '../flags/evaluator.ts';
import { trafficShare } from '../simulation/conditions.ts';
import { type PlannedVisit, playAll, SLOT_MS, visitsIn } from './traffic.ts';

const MINUTE = 60_000;
/** What a minute's metrics and profiles cost to write, in visits. */
const VISITS_FOR_METRICS = 4;

export interface HistoryOptions {
  emitter: Emitter;
  evaluator: Evaluator;
  /** Milliseconds since the epoch, both on a whole minute; `to` is excluded. */
  from: number;
  to: number;
  seed: number;
  peakRate: number;
  signal: AbortSignal;
  /** Called after each minute of history, with the share of the work that is done, in (0, 1]. */
  onProgress: (share: number) => void;
}

/**
 * Writes history minute by minute, as fast as the server accepts it, with metrics at each minute's end. At most one
 * minute of traffic and the emitter's bounded batches are in memory. Stops early, with what was emitted, on abort.
 */
export async function writeHistory(options: HistoryOptions): Promise<void> {
  const { emitter, evaluator, from, to, peakRate, signal } = options;
  const all = workIn(from, to, peakRate);
  let done = 0;
  for (let minute = from; minute < to && !signal.aborted; minute += MINUTE) {
    const planned: PlannedVisit[] = [];
    for (let slot = minute; slot < minute + MINUTE; slot += SLOT_MS) planned.push(...visitsIn(slot, options));
    for (const { roots, answers, random } of await playAll(planned, evaluator, { isOpen: false })) {
      emitter.emit(roots, answers.evaluations, random);
    }
    await emitter.collect(minute + MINUTE);
    await emitter.room();
    done += workIn(minute, minute + MINUTE, peakRate);
    options.onProgress(done / all);
  }
}

/**
 * How much there is to write in a time, in visits. An hour of the evening takes five times as long as one of the night, so the share of the
 * time would not tell how long the rest takes.
 */
export function workIn(from: number, to: number, peakRate: number): number {
  let work = 0;
  for (let minute = from; minute < to; minute += MINUTE)
    work += (peakRate * trafficShare(minute) * MINUTE) / 1000 + VISITS_FOR_METRICS;
  return work;
}
