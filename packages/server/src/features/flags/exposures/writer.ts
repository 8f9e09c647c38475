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

interface Log {
  warn(details: object, message: string): void;
}

/** A kill loses at most the counts of this time and of one fsync: docs/decisions/0024. */
const FLUSH_MS = 100;
/** Interval of retries while the log accepts nothing. */
const RETRY_MS = 1_000;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const COMPLAIN_MS = 60_000;

interface ExposuresOptions {
  /** Resolves when the entry is durable; rejects if the log is full, or with `OutcomeUnknown`. */
  append(projectId: string, entry: EvaluationsEntry): Promise<void>;
  clock: Clock;
  log: Log;
  limits?: TallyLimits;
  flushMs?: number;
}

/** Counts the answers of flags. */
export class Exposures {
  readonly #options: ExposuresOptions;
  readonly #flushMs: number;
  readonly #tally: Tally;
  /** Entries that the log has not accepted yet, oldest first. */
  #waiting: Waits[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #logged = 0;
  #ignored = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #complainedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ExposuresOptions) {
    this.#options = options;
    this.#flushMs = options.flushMs ?? FLUSH_MS;
    this.#tally = new Tally(options.limits ?? tallyLimits);
  }

  /** Resolves when everything counted before is in the write-ahead log, or was rejected by it. One at a time, in order. */
  flush(): Promise<void> {
    this.#collect();
    this.#writing = (this.#writing ?? Promise.resolve())
      .then(() => this.#write())
      .finally(() => {
        if (this.#waiting.length > 0) this.#schedule(RETRY_MS);
        else if (!this.#tally.isEmpty) this.#schedule(this.#flushMs);
      });
    return this.#writing;
  }

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
  ): void {
    this.#tally.saw(place, ruleset, outcome, context, traceparent, this.#options.clock.now(), at);
    if (this.#timer === undefined) this.#schedule(this.#waiting.length > 0 ? RETRY_MS : this.#flushMs);
  }

  /** Evaluations that a client has counted. */
  add(place: EvaluationPlace, answer: Countable, times: number): void {
    this.#tally.add(place, answer, times, this.#options.clock.now());
    if (this.#timer === undefined) this.#schedule(this.#waiting.length > 0 ? RETRY_MS : this.#flushMs);
  }

  /** Events that clients report and that are not stored. */
  ignore(events: number): void {
    this.#ignored += events;
  }

  stats(): ExposureStats {
    const stats = this.#tally.stats();
    return {
      ...stats,
      logged: this.#logged,
      ignored: this.#ignored,
      lost: stats.lost + this.#lost,
      waitingBytes: this.#waitingBytes,
    };
  }

  /** The last flush. Call it while the log still accepts entries. */
  async stop(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    this.#options.log.warn(
      { evaluations: countOf(this.#waiting) },
      'evaluation counts are lost: the write-ahead log had no space until the end',
    );
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, ms);
  }

  #collect(): void {
    for (const taken of this.#tally.take()) {
      const waits = entryOf(taken, this.#options.clock.now());
      if (this.#waitingBytes + waits.entry.body.length > MAX_WAITING_BYTES) {
        this.#lost += waits.evaluations;
        continue;
      }
      this.#waiting.push(waits);
      this.#waitingBytes += waits.entry.body.length;
    }
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      // Together, so that they share one fsync.
      const results = await Promise.allSettled(
        batch.map(({ projectId, entry }) => this.#options.append(projectId, entry)),
      );
      const rejected = batch.filter((_, at) => results[at]?.status === 'rejected');
      const failed = batch.filter((_, at) => {
        const result = results[at];
        return result?.status === 'rejected' && !(result.reason instanceof OutcomeUnknown);
      });
      this.#logged += countOf(batch) - countOf(rejected);
      this.#lost += countOf(rejected) - countOf(failed);
      this.#waitingBytes -= batch.reduce((sum, { entry }) => sum + entry.body.length, 0);
      if (failed.length === 0) continue;
      this.#waiting = [...failed, ...this.#waiting];
      this.#waitingBytes += failed.reduce((sum, { entry }) => sum + entry.body.length, 0);
      this.#complain(results.find((result) => result.status === 'rejected')?.reason);
      return;
    }
  }

  #complain(error: unknown): void {
    const { clock, log } = this.#options;
    const stats = this.#tally.stats();
    const details = {
      err: error,
      waitingBytes: this.#waitingBytes,
      lost: this.#lost + stats.lost,
      unseen: stats.unseen,
    };
    if (clock.now() - this.#complainedAt < COMPLAIN_MS) return;
    this.#complainedAt = clock.now();
    log.warn(details, 'evaluation counts wait: the write-ahead log does not accept them');
  }
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
