import type { CompiledRuleset, EvaluationContext } from '@fanion/flag-engine';
import { encodeEvaluations } from '@fanion/telemetry';
import type { Clock } from '../../../platform/clock.ts';
import {
  type Answered,
  type Countable,
  type EvaluationPlace,
  type Taken,
  Tally,
  type TallyLimits,
  type TallyStats,
  tallyLimits,
} from './rules.ts';

/** One entry for the write-ahead log. */
export interface EvaluationsEntry {
  readonly workspace: number;
  readonly project: number;
  readonly environment: string;
  readonly receivedAt: number;
  readonly items: number;
  readonly body: Buffer;
}

export interface ExposureStats extends TallyStats {
  /** Evaluations whose counts are in the write-ahead log and survive a kill. */
  readonly logged: number;
  /** Reported events that are neither evaluations nor exposures. */
  readonly ignored: number;
  /** Bytes that wait for the log. */
  readonly waitingBytes: number;
}

/** An entry that may be in the log or not. It is not appended again: an evaluation is rather lost than counted twice. */
export class OutcomeUnknown extends Error {}

/** Reported exposures between two flushes: a few thousand are taken at a time. */
export const exposuresAtOnce = 1_000;

/** Counts the answers of flags. */
export interface Exposures {
  /**
   * Call once for each evaluation of a single flag. Returns at once, throws nothing, waits for nothing.
   * @param place of the SDK key
   * @param outcome from the engine
   * @param traceparent the request's header
   * @param at when a client evaluated it; now if the server did
   */
  saw(
    place: EvaluationPlace,
    ruleset: CompiledRuleset,
    outcome: Answered,
    context: EvaluationContext,
    traceparent: string | string[] | undefined,
    at?: number,
  ): void;
  /** Evaluations that a client has counted. */
  add(place: EvaluationPlace, answer: Countable, times: number): void;
  /** Events that clients report and that are not stored. */
  ignore(events: number): void;
  stats(): ExposureStats;
  /** Resolves when everything counted before is in the write-ahead log, or was rejected by it. */
  flush(): Promise<void>;
  /** The last flush. Call it while the log still accepts entries. */
  stop(): Promise<void>;
}

interface Log {
  warn(details: object, message: string): void;
}

/** The most that a kill may lose, plus the time of one fsync: docs/decisions/0024. */
const FLUSH_MS = 100;
/** Interval of retries while the log accepts nothing. */
const RETRY_MS = 1_000;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const COMPLAIN_MS = 60_000;

/** @param options.append resolves when the entry is durable; rejects if the log is full, or with `OutcomeUnknown` */
export function createExposures(options: {
  append(projectId: string, entry: EvaluationsEntry): Promise<void>;
  clock: Clock;
  log: Log;
  limits?: TallyLimits;
  flushMs?: number;
}): Exposures {
  const { append, clock, log, limits = tallyLimits, flushMs = FLUSH_MS } = options;
  const tally = new Tally(limits);
  /** Entries that the log has not accepted yet, oldest first. */
  let waiting: Waits[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let logged = 0;
  let ignored = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let complainedAt = Number.NEGATIVE_INFINITY;

  function schedule(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, ms);
  }

  function collect(): void {
    for (const taken of tally.take()) {
      const waits = entryOf(taken, clock.now());
      if (waitingBytes + waits.entry.body.length > MAX_WAITING_BYTES) {
        lost += waits.evaluations;
        continue;
      }
      waiting.push(waits);
      waitingBytes += waits.entry.body.length;
    }
  }

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      // Together, so that they share one fsync.
      const results = await Promise.allSettled(batch.map(({ projectId, entry }) => append(projectId, entry)));
      const rejected = batch.filter((_, at) => results[at]?.status === 'rejected');
      const failed = batch.filter((_, at) => {
        const result = results[at];
        return result?.status === 'rejected' && !(result.reason instanceof OutcomeUnknown);
      });
      logged += countOf(batch) - countOf(rejected);
      lost += countOf(rejected) - countOf(failed);
      waitingBytes -= batch.reduce((sum, { entry }) => sum + entry.body.length, 0);
      if (failed.length === 0) continue;
      waiting = [...failed, ...waiting];
      waitingBytes += failed.reduce((sum, { entry }) => sum + entry.body.length, 0);
      complain(results.find((result) => result.status === 'rejected')?.reason);
      return;
    }
  }

  function complain(error: unknown): void {
    const stats = tally.stats();
    const details = { err: error, waitingBytes, lost: lost + stats.lost, unseen: stats.unseen };
    if (clock.now() - complainedAt < COMPLAIN_MS) return;
    complainedAt = clock.now();
    log.warn(details, 'evaluation counts wait: the write-ahead log does not accept them');
  }

  /** One at a time, so that entries are logged in order. */
  function flush(): Promise<void> {
    collect();
    writing = (writing ?? Promise.resolve()).then(write).finally(() => {
      if (waiting.length > 0) schedule(RETRY_MS);
      else if (!tally.isEmpty) schedule(flushMs);
    });
    return writing;
  }

  return {
    saw(place, ruleset, outcome, context, traceparent, at) {
      tally.saw(place, ruleset, outcome, context, traceparent, clock.now(), at);
      if (timer === undefined) schedule(waiting.length > 0 ? RETRY_MS : flushMs);
    },
    add(place, answer, times) {
      tally.add(place, answer, times, clock.now());
      if (timer === undefined) schedule(waiting.length > 0 ? RETRY_MS : flushMs);
    },
    ignore(events) {
      ignored += events;
    },
    stats() {
      const stats = tally.stats();
      return { ...stats, logged, ignored, lost: stats.lost + lost, waitingBytes };
    },
    flush,
    async stop() {
      await flush();
      clearTimeout(timer);
      if (waiting.length === 0) return;
      log.warn(
        { evaluations: countOf(waiting) },
        'evaluation counts are lost: the write-ahead log had no space until the end',
      );
    },
  };
}

interface Waits {
  readonly projectId: string;
  readonly entry: EvaluationsEntry;
  readonly evaluations: number;
}

function countOf(waiting: readonly Waits[]): number {
  return waiting.reduce((sum, { evaluations }) => sum + evaluations, 0);
}

function entryOf({ place, counted, seen }: Taken, now: number): Waits {
  return {
    projectId: place.projectId,
    entry: {
      workspace: place.workspaceNumber,
      project: place.projectNumber,
      environment: place.environmentKey,
      receivedAt: now,
      items: counted.length + seen.length,
      body: encodeEvaluations({ counted, seen }),
    },
    evaluations: seen.length + counted.reduce((sum, { count }) => sum + count, 0),
  };
}
