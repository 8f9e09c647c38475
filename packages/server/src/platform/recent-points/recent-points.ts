import type { RecentQuestion } from '@fanion/oql/recent';
import { POINT_BYTES } from '@fanion/telemetry';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { createKeeping, idleMs, longestReachMs, type Place } from './keeping-rules.ts';
import type { CallRecent, RecentJob, RecentRows } from './kept-metrics.ts';
import { type ReadRows, readPoints, readSeries } from './points-store.ts';

/** How often what is idle, too old or too large is dropped. */
const tidyMs = 60_000;
/** How long loading a metric may take, with the wait for what is being inserted. */
const longestLoadMs = 60_000;

/** With the seconds that they took. */
export type TimedRows = RecentRows & { readonly seconds: number };

export interface RecentState {
  /** Metrics that are kept or loading, and the bytes of their points and series. */
  readonly metrics: number;
  readonly bytes: number;
  /** Questions that were answered from memory. */
  readonly answered: number;
  /** Metrics that were loaded, and attempts that failed. */
  readonly loaded: number;
  readonly failed: number;
}

/**
 * Recent points of the metrics that are asked for again and again, in the memory of the ingest worker. What is answered from them is what the
 * store would answer, or includes acknowledged points that the store does not have yet.
 */
export interface RecentPoints {
  /** Whether a question can be answered from memory once its metric is kept. */
  mayAnswer(question: RecentQuestion): boolean;
  /** Takes note of a question; returns whether to try {@link RecentPoints.answer}. Not called for workspaces with hidden places. */
  asked(workspace: number, question: RecentQuestion): boolean;
  /** Undefined if the engine has to be asked. */
  answer(job: Omit<RecentJob, 'nowMs'>, signal: AbortSignal): Promise<TimedRows | undefined>;
  /**
   * Runs a change of stored points or series of a metric that does not go through the worker. The metric is not kept meanwhile, nor for
   * ten minutes after it: a statement whose connection broke may still run.
   */
  changing<T>(place: Place, change: () => Promise<T>): Promise<T>;
  /** Drops the metrics of a workspace, of which a place was removed; undefined: of all. */
  removed(workspace: number | undefined): void;
  /** The worker has ended; another one keeps nothing yet. */
  workerEnded(): void;
  state(): RecentState;
  stop(): void;
}

export function createRecentPoints(options: {
  readonly maxBytes: number;
  readonly worker: () => CallRecent;
  readonly read: ReadRows;
  /** Another number after each restart of the store. */
  readonly storeStarts: () => number;
  readonly clock: Clock;
  readonly log: Log;
}): RecentPoints {
  const { maxBytes, read, clock, log } = options;
  const call: CallRecent = async (...of) => options.worker()(...of);
  const keeping = createKeeping();
  let starts = options.storeStarts();
  const counted = { bytes: 0, answered: 0, loaded: 0, failed: 0 };
  const tidying = setInterval(() => void tidy(), tidyMs).unref();

  async function tidy(): Promise<void> {
    keeping.tidy(clock.now());
    if (counted.bytes > 0 || keeping.places().length > 0)
      counted.bytes = await call('tidy', [clock.now(), maxBytes]).catch(() => 0);
  }

  function drop(place: Place, deniedMs: number): void {
    keeping.dropped(place, clock.now(), deniedMs);
    // A worker that has ended keeps nothing.
    call('drop', [place]).catch(() => {});
  }

  function dropAll(isOf: (place: Place) => boolean = () => true): void {
    for (const place of keeping.places()) if (isOf(place)) drop(place, 0);
  }

  /** Everything goes with the store that it was read from. */
  function followStore(): void {
    const now = options.storeStarts();
    if (now === starts) return;
    starts = now;
    dropAll();
  }

  /**
   * Reads a metric; without a reach, only its series, since points of new ones have come, whose rows are stored before. The order matters:
   * docs/decisions/0116-roll-ups-and-recent-points.md.
   */
  async function load(place: Place, id: number, reachMs?: number): Promise<void> {
    const nowMs = clock.now();
    const fromMs = nowMs - (reachMs ?? longestReachMs);
    const limits = { signal: AbortSignal.timeout(longestLoadMs), maxResultRows: Math.ceil(maxBytes / POINT_BYTES) };
    try {
      if (reachMs !== undefined) {
        await call('begin', [place, id, { reachMs, nowMs }]);
        for await (const rows of readPoints(read, place, { fromMs, toMs: clock.now() }, limits))
          await call('add', [place, id, rows], [rows.buffer]);
      }
      const series = await readSeries(read, place, fromMs, limits);
      const isKept = await call('describe', [place, id, series], [series.buffer]);
      if (!isKept) throw new Error('it was dropped, or has values that do not add up like numbers');
      await tidy();
      keeping.settled(place, true);
      counted.loaded++;
    } catch (error) {
      counted.failed++;
      log.info({ ...place, err: error }, 'a metric is not kept in memory');
      drop(place, idleMs);
    }
  }

  const mayAnswer = ({ fromMs }: RecentQuestion) => maxBytes > 0 && clock.now() - fromMs <= longestReachMs;

  return {
    mayAnswer,

    asked(workspace, question) {
      followStore();
      if (!mayAnswer(question)) return false;
      const place = { workspace, metric: question.metric };
      const decision = keeping.asked(place, question.fromMs, clock.now());
      if (decision.do === 'load') void load(place, decision.load, decision.reachMs);
      return decision.do === 'answer';
    },

    async answer(job, signal) {
      const [place, nowMs] = [{ workspace: job.workspace, metric: job.question.metric }, clock.now()];
      const reply = await call('answer', [{ ...job, nowMs }]).catch(() => 'gone' as const);
      signal.throwIfAborted();
      if (typeof reply === 'object') {
        counted.answered++;
        return { ...reply, seconds: (clock.now() - nowMs) / 1000 };
      }
      if (reply === 'gone') drop(place, idleMs);
      const id = reply === 'undescribed' ? keeping.settled(place, false) : undefined;
      if (id !== undefined) void load(place, id);
      return undefined;
    },

    async changing(place, change) {
      drop(place, idleMs);
      try {
        return await change();
      } finally {
        drop(place, idleMs);
      }
    },

    removed: (workspace) => dropAll((place) => workspace === undefined || place.workspace === workspace),
    workerEnded: () => dropAll(),
    state: () => ({ metrics: keeping.places().length, ...counted }),
    stop: () => clearInterval(tidying),
  };
}
