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

interface RecentPointsOptions {
  readonly maxBytes: number;
  readonly worker: () => CallRecent;
  readonly read: ReadRows;
  /** Another number after each restart of the store. */
  readonly storeStarts: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Recent points of the metrics that are asked for again and again, in the memory of the ingest worker. What is answered from them is what the
 * store would answer, or includes acknowledged points that the store does not have yet.
 */
export class RecentPoints {
  readonly #options: RecentPointsOptions;
  readonly #keeping = createKeeping();
  #starts: number;
  readonly #counted = { bytes: 0, answered: 0, loaded: 0, failed: 0 };
  readonly #tidying: NodeJS.Timeout;

  readonly #call: CallRecent = async (...of) => this.#options.worker()(...of);

  constructor(options: RecentPointsOptions) {
    this.#options = options;
    this.#starts = options.storeStarts();
    this.#tidying = setInterval(() => void this.#tidy(), tidyMs).unref();
  }

  /** Whether a question can be answered from memory once its metric is kept. */
  mayAnswer({ fromMs }: RecentQuestion): boolean {
    return this.#options.maxBytes > 0 && this.#options.clock.now() - fromMs <= longestReachMs;
  }

  /** Takes note of a question; returns whether to try {@link RecentPoints.answer}. Not called for workspaces with hidden places. */
  asked(workspace: number, question: RecentQuestion): boolean {
    this.#followStore();
    if (!this.mayAnswer(question)) return false;
    const place = { workspace, metric: question.metric };
    const decision = this.#keeping.asked(place, question.fromMs, this.#options.clock.now());
    if (decision.do === 'load') void this.#load(place, decision.load, decision.reachMs);
    return decision.do === 'answer';
  }

  /** Undefined if the engine has to be asked. */
  async answer(job: Omit<RecentJob, 'nowMs'>, signal: AbortSignal): Promise<TimedRows | undefined> {
    const [place, nowMs] = [{ workspace: job.workspace, metric: job.question.metric }, this.#options.clock.now()];
    const reply = await this.#call('answer', [{ ...job, nowMs }]).catch(() => 'gone' as const);
    signal.throwIfAborted();
    if (typeof reply === 'object') {
      this.#counted.answered++;
      return { ...reply, seconds: (this.#options.clock.now() - nowMs) / 1000 };
    }
    if (reply === 'gone') this.#drop(place, idleMs);
    const id = reply === 'undescribed' ? this.#keeping.settled(place, false) : undefined;
    if (id !== undefined) void this.#load(place, id);
    return undefined;
  }

  /**
   * Runs a change of stored points or series of a metric that does not go through the worker. The metric is not kept meanwhile, nor for
   * ten minutes after it: a statement whose connection broke may still run.
   */
  async changing<T>(place: Place, change: () => Promise<T>): Promise<T> {
    this.#drop(place, idleMs);
    try {
      return await change();
    } finally {
      this.#drop(place, idleMs);
    }
  }

  /** Drops the metrics of a workspace, of which a place was removed; undefined: of all. */
  removed(workspace: number | undefined): void {
    this.#dropAll((place) => workspace === undefined || place.workspace === workspace);
  }

  /** The worker has ended; another one keeps nothing yet. */
  workerEnded(): void {
    this.#dropAll();
  }

  state(): RecentState {
    return { metrics: this.#keeping.places().length, ...this.#counted };
  }

  stop(): void {
    clearInterval(this.#tidying);
  }

  async #tidy(): Promise<void> {
    const { clock, maxBytes } = this.#options;
    this.#keeping.tidy(clock.now());
    if (this.#counted.bytes > 0 || this.#keeping.places().length > 0)
      this.#counted.bytes = await this.#call('tidy', [clock.now(), maxBytes]).catch(() => 0);
  }

  #drop(place: Place, deniedMs: number): void {
    this.#keeping.dropped(place, this.#options.clock.now(), deniedMs);
    // A worker that has ended keeps nothing.
    this.#call('drop', [place]).catch(() => {});
  }

  #dropAll(isOf: (place: Place) => boolean = () => true): void {
    for (const place of this.#keeping.places()) if (isOf(place)) this.#drop(place, 0);
  }

  /** Everything goes with the store that it was read from. */
  #followStore(): void {
    const now = this.#options.storeStarts();
    if (now === this.#starts) return;
    this.#starts = now;
    this.#dropAll();
  }

  /**
   * Reads a metric; without a reach, only its series, since points of new ones have come, whose rows are stored before. The order matters:
   * docs/decisions/0116-roll-ups-and-recent-points.md.
   */
  async #load(place: Place, id: number, reachMs?: number): Promise<void> {
    const { clock, maxBytes, read, log } = this.#options;
    const nowMs = clock.now();
    const fromMs = nowMs - (reachMs ?? longestReachMs);
    const limits = { signal: AbortSignal.timeout(longestLoadMs), maxResultRows: Math.ceil(maxBytes / POINT_BYTES) };
    try {
      if (reachMs !== undefined) {
        await this.#call('begin', [place, id, { reachMs, nowMs }]);
        for await (const rows of readPoints(read, place, { fromMs, toMs: clock.now() }, limits))
          await this.#call('add', [place, id, rows], [rows.buffer]);
      }
      const series = await readSeries(read, place, fromMs, limits);
      const isKept = await this.#call('describe', [place, id, series], [series.buffer]);
      if (!isKept) throw new Error('it was dropped, or has values that do not add up like numbers');
      await this.#tidy();
      this.#keeping.settled(place, true);
      this.#counted.loaded++;
    } catch (error) {
      this.#counted.failed++;
      log.info({ ...place, err: error }, 'a metric is not kept in memory');
      this.#drop(place, idleMs);
    }
  }
}
