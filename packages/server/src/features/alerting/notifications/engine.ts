import type { Log } from '../../../platform/log.ts';
import { Poller } from '../../../platform/poller.ts';
import { Deliverer, type DelivererOptions } from './deliverer.ts';
import { hastenDeliveries } from './deliveries-store.ts';
import { createFlusher, type FlusherOptions } from './flusher.ts';
import { hastenGroups, nextDueAt } from './groups-store.ts';

export type EngineOptions = FlusherOptions &
  DelivererOptions & {
    readonly log: Log;
    /** Until it looks again for what is due and was not taken. @default 1_000 */
    readonly pollMs?: number;
    /** Without it, nothing is sent. @default always */
    readonly isClockTrusted?: () => boolean;
  };

/** What other servers wrote is looked for this often; they handle it themselves, unless they ended meanwhile. */
const idleMs = 5_000;
/** Groups that are due within so long of each other are flushed together. */
const shortestMs = 100;
/** A clock that is adjusted by less than this delays nothing that matters. */
const adjustedMs = 5_000;

/** Notifies channels of groups of alerts, together with the other replicas. */
export class NotificationEngine {
  readonly #options: EngineOptions;
  readonly #pollMs: number;
  readonly #isClockTrusted: () => boolean;
  readonly #flusher: { flushDue(): Promise<boolean> };
  readonly #deliverer: Deliverer;
  readonly #poller: Poller;
  #isStarted = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? 1_000;
    this.#isClockTrusted = options.isClockTrusted ?? (() => true);
    this.#flusher = createFlusher(this.#options);
    this.#deliverer = new Deliverer(this.#options, () => this.wake());
    this.#poller = new Poller({
      look: () => this.#work(),
      onError: (error) => options.log.warn({ err: error }, 'could not look for notifications that are due'),
      retryMs: this.#pollMs,
    });
  }

  /** Looks at once: something was written. */
  wake(): void {
    if (this.#isStarted) this.#poller.wake();
  }

  /** Begins to look for groups and deliveries that are due. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Handles everything that is due now and resolves when that is done. What `start` does by itself. */
  async runDue(): Promise<void> {
    if (!this.#isClockTrusted()) return;
    await this.#noticeClock();
    for (;;) {
      while (await this.#flusher.flushDue());
      const before = this.#deliverer.next();
      const started = await this.#deliverer.start();
      const next = this.#deliverer.next();
      // What ended during the look left room that the look did not see.
      if (started === 0 && next === undefined && before === undefined) return;
      await next;
    }
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
    await this.#deliverer.stop();
  }

  /** Times that were written before the clock went back are too far in the future: what waits for them is looked at now. */
  async #noticeClock(): Promise<void> {
    const { clock, db } = this.#options;
    const now = clock.now();
    if (now < this.#lookedAt - adjustedMs) {
      await hastenGroups(db, new Date(now));
      await hastenDeliveries(db, new Date(now));
    }
    this.#lookedAt = now;
  }

  /** Returns in how many milliseconds to look again. */
  async #work(): Promise<number> {
    if (!this.#isClockTrusted()) return this.#pollMs;
    await this.#noticeClock();
    while (!this.#poller.isStopped && this.#isClockTrusted() && (await this.#flusher.flushDue()));
    while (!this.#poller.isStopped && this.#isClockTrusted() && (await this.#deliverer.start()) > 0);
    const waitMs = (await nextDueAt(this.#options.db)) - this.#options.clock.now();
    // What is due and was not taken is another server's, or waits for its turn.
    return waitMs <= 0 ? this.#pollMs : Math.min(idleMs, Math.max(shortestMs, waitMs));
  }
}
