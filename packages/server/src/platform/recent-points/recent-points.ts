import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { RecentQuestion } from '@fanion/oql/recent';
import { POINT_BYTES } from '@fanion/telemetry';
import type { Clock } from '../clock.ts';
import { Failure } from '../fail.ts';
import type { Log } from '../log.ts';
import type { HiddenPlace } from '../scoped-telemetry.ts';
import { createKeeping, idleMs, keyOf, type Place } from './keeping-rules.ts';
import { type ReadRows, readPoints, readSeries } from './points-store.ts';
import type { RecentJob, RecentRows } from './protocol.ts';
import { type RecentThread, startThread } from './thread.ts';

/** How often what is idle, or older than any question, is dropped. */
const tidyMs = 60_000;
/** A question that the thread has not answered by then is asked of the engine, and the thread is ended: something is wrong with it. */
const longestAnswerMs = 10_000;
/** How long loading a metric may take, with the wait for what is being inserted. */
const longestLoadMs = 60_000;
/** A metric is dropped after so many questions in a row that could not be answered. */
const mostUnanswered = 5;
/** How long a metric is not loaded after that failed. */
const failedMs = 60_000;

/** Sends the rows of watched metrics to a port before they are inserted into the store. */
export interface PointFeed {
  /** Rows go there from now on, and nothing is watched yet. */
  open(port: MessagePort): void;
  /**
   * Watches a metric. Resolves when all rows that had been handed to it for storing before are stored; rejects if it ends before.
   */
  watch(place: Place): Promise<void>;
  forget(place: Place): void;
  /** Watches nothing any longer. */
  close(): void;
}

export interface RecentState {
  /** Metrics that are kept or loading, and the bytes of their points and series. */
  readonly metrics: number;
  readonly bytes: number;
  /** Questions that were answered from memory, and those about kept metrics that were left to the engine. */
  readonly answered: number;
  readonly passedOn: number;
  /** Metrics that were loaded, and attempts that failed. */
  readonly loaded: number;
  readonly failed: number;
}

/**
 * Recent points of the metrics that are asked for again and again, in the memory of a thread. What is answered from them is what the store
 * would answer, or includes acknowledged points that the store does not have yet.
 */
export interface RecentPoints {
  /** Whether a question can be answered from memory once its metric is kept. */
  mayAnswer(question: RecentQuestion): boolean;
  /** Takes note of a question; returns whether to try {@link RecentPoints.answer}. */
  asked(workspace: number, question: RecentQuestion): boolean;
  /** Undefined if the engine has to be asked. */
  answer(job: RecentJob, signal: AbortSignal): Promise<RecentRows | undefined>;
  /**
   * Runs a change of stored points or series of a metric that does not go through the feed. The metric is not kept meanwhile, nor for
   * ten minutes after it: a statement whose connection broke may still run.
   */
  changing<T>(place: Place, change: () => Promise<T>): Promise<T>;
  /** Drops the points of a place that was removed; those of other places stay. */
  removed(workspace: number, hidden: HiddenPlace): void;
  /** Drops everything: the feed has ended, and its successor watches nothing yet. */
  feedEnded(): void;
  state(): RecentState;
  stop(): void;
}

export function createRecentPoints(options: {
  readonly maxBytes: number;
  readonly feed: () => PointFeed;
  readonly read: ReadRows;
  /** Another number after each restart of the store. */
  readonly storeStarts: () => number;
  readonly clock: Clock;
  readonly log: Log;
}): RecentPoints {
  const { maxBytes, feed, read, clock, log } = options;
  const keeping = createKeeping({ maxBytes });
  const loads = new Map<string, AbortController>();
  /** How many questions in a row could not be answered about a kept metric. */
  const unanswered = new Map<string, number>();
  const counted = { answered: 0, passedOn: 0, loaded: 0, failed: 0 };
  let thread: RecentThread | undefined;
  let tidying: NodeJS.Timeout | undefined;
  let starts = options.storeStarts();

  function started(): RecentThread {
    if (thread !== undefined) return thread;
    const { port1, port2 } = new MessageChannel();
    thread = startThread({
      onResized(sizes) {
        for (const { bytes, ...place } of sizes) keeping.resized(place, bytes);
        for (let place = keeping.excess(); place !== undefined; place = keeping.excess()) drop(place, idleMs);
      },
      onLost(place) {
        log.warn({ ...place }, 'recent points of a metric were dropped');
        drop(place, failedMs);
      },
      onFailed(error) {
        log.error({ err: error }, 'the thread of recent points failed');
        dropAll();
      },
    });
    thread.feed(port1);
    feed().open(port2);
    tidying = setInterval(tidy, tidyMs).unref();
    return thread;
  }

  function drop(place: Place, deniedMs: number): void {
    loads.get(keyOf(place))?.abort();
    unanswered.delete(keyOf(place));
    keeping.dropped(place, clock.now(), deniedMs);
    thread?.drop(place);
    if (thread !== undefined) feed().forget(place);
    if (keeping.state().metrics === 0) end();
  }

  /** Metrics of histograms, for example, are not worth their memory, and each question about them takes a little longer. */
  function noteUnanswered(place: Place): void {
    const count = (unanswered.get(keyOf(place)) ?? 0) + 1;
    unanswered.set(keyOf(place), count);
    if (count === mostUnanswered) drop(place, idleMs);
  }

  function dropAll(): void {
    keeping.droppedAll();
    end();
  }

  function end(): void {
    // Without a thread nothing is watched or loading. At a start that failed, there may be no feed yet.
    if (thread === undefined) return;
    for (const load of loads.values()) load.abort();
    clearInterval(tidying);
    thread.end();
    thread = undefined;
    unanswered.clear();
    feed().close();
  }

  function tidy(): void {
    const now = clock.now();
    for (const place of keeping.idle(now)) drop(place, 0);
    for (const { fromMs, ...place } of keeping.trims(now)) thread?.trim(place, fromMs);
  }

  /** The order matters: docs/decisions/0116-roll-ups-and-recent-points.md. */
  async function load(place: Place, fromMs: number): Promise<void> {
    const to = started();
    const left = new AbortController();
    loads.set(keyOf(place), left);
    const signal = AbortSignal.any([left.signal, AbortSignal.timeout(longestLoadMs)]);
    const rows = (table: 'series' | 'points') => (bytes: Uint8Array<ArrayBuffer>) => {
      if (!signal.aborted) to.rows(table, place, bytes);
    };
    try {
      await to.begin(place, fromMs);
      signal.throwIfAborted();
      await unlessAborted(feed().watch(place), signal);
      const maxResultRows = Math.ceil(maxBytes / POINT_BYTES);
      await readSeries(read, place, fromMs, { signal, maxResultRows, take: rows('series') });
      const range = { fromMs, toMs: Math.max(clock.now(), fromMs + 1) };
      await readPoints(read, place, range, { signal, maxResultRows, take: rows('points') });
      signal.throwIfAborted();
      const isWhole = await to.finish(place);
      signal.throwIfAborted();
      if (!isWhole) throw new Error('points without a series were stored');
      followStore();
      signal.throwIfAborted();
      keeping.loaded(place);
      counted.loaded++;
    } catch (error) {
      counted.failed++;
      if (left.signal.aborted) return;
      log.info(
        { ...place, reason: error instanceof Error ? error.message : String(error) },
        'a metric is not kept in memory',
      );
      drop(place, isTooLarge(error) ? idleMs : failedMs);
    } finally {
      if (loads.get(keyOf(place)) === left) loads.delete(keyOf(place));
    }
  }

  /** Everything goes with the store that it was read from. */
  function followStore(): void {
    const now = options.storeStarts();
    if (now === starts) return;
    starts = now;
    dropAll();
  }

  return {
    mayAnswer: ({ fromMs }) => keeping.mayKeep(fromMs, clock.now()),

    asked(workspace, { metric, fromMs }) {
      followStore();
      const place = { workspace, metric };
      const decision = keeping.asked(place, fromMs, clock.now());
      if (decision.do === 'load') void load(place, decision.fromMs);
      return decision.do === 'answer';
    },

    async answer(job, signal) {
      const asked = thread;
      if (asked === undefined) return undefined;
      const place = { workspace: job.workspace, metric: job.question.metric };
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new Error('it took too long')), longestAnswerMs);
      try {
        const answer = await unlessAborted(asked.answer(job), AbortSignal.any([signal, late.signal]));
        // What was dropped meanwhile may have missed rows.
        const isHere = thread === asked && answer !== undefined;
        counted[isHere ? 'answered' : 'passedOn']++;
        if (isHere) unanswered.delete(keyOf(place));
        else if (thread === asked) noteUnanswered(place);
        return isHere ? answer : undefined;
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error }, 'recent points did not answer');
        if (late.signal.aborted && thread === asked) dropAll();
        counted.passedOn++;
        return undefined;
      } finally {
        clearTimeout(timer);
      }
    },

    async changing(place, change) {
      const leave = () => {
        keeping.denied(place, clock.now(), idleMs);
        drop(place, idleMs);
      };
      leave();
      try {
        return await change();
      } finally {
        leave();
      }
    },

    removed: (workspace, hidden) => thread?.remove(workspace, hidden),
    feedEnded: dropAll,
    state: () => ({ ...keeping.state(), ...counted }),
    stop: dropAll,
  };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Failure && (error.error === 'QUERY_TOO_EXPENSIVE' || error.error === 'RESULT_TOO_LARGE');
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
