import type { Log } from '../../../platform/log.ts';
import { createDeliverer, type DelivererOptions } from './deliverer.ts';
import { hastenDeliveries } from './deliveries-store.ts';
import { createFlusher, type FlusherOptions } from './flusher.ts';
import { hastenGroups, nextDueAt } from './groups-store.ts';

export interface NotificationEngine {
  /** Begins to look for groups and deliveries that are due. */
  start(): void;
  /** Looks at once: something was written. */
  wake(): void;
  /** Handles everything that is due now and resolves when that is done. What `start` does by itself. */
  runDue(): Promise<void>;
  stop(): Promise<void>;
}

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
export function createEngine(options: EngineOptions): NotificationEngine {
  const { db, clock, log, pollMs = 1_000, isClockTrusted = () => true } = options;
  const flusher = createFlusher(options);
  const deliverer = createDeliverer(options, look);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let isStarted = false;
  let isStopped = false;
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** Times that were written before the clock went back are too far in the future: what waits for them is looked at now. */
  async function noticeClock(): Promise<void> {
    const now = clock.now();
    if (now < lookedAt - adjustedMs) {
      await hastenGroups(db, new Date(now));
      await hastenDeliveries(db, new Date(now));
    }
    lookedAt = now;
  }

  /** Returns in how many milliseconds to look again. */
  async function work(): Promise<number> {
    if (!isClockTrusted()) return pollMs;
    await noticeClock();
    while (!isStopped && isClockTrusted() && (await flusher.flushDue()));
    while (!isStopped && isClockTrusted() && (await deliverer.start()) > 0);
    const waitMs = (await nextDueAt(db)) - clock.now();
    // What is due and was not taken is another server's, or waits for its turn.
    return waitMs <= 0 ? pollMs : Math.min(idleMs, Math.max(shortestMs, waitMs));
  }

  /** One look at a time; a wake-up during a look starts another one after it. */
  function look(): void {
    if (!isStarted || isStopped) return;
    if (looking !== undefined) {
      lookAgain = true;
      return;
    }
    clearTimeout(timer);
    looking = work()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'could not look for notifications that are due');
        return pollMs;
      })
      .then((waitMs) => {
        looking = undefined;
        if (isStopped) return;
        if (lookAgain) {
          lookAgain = false;
          look();
        } else {
          timer = setTimeout(look, waitMs);
        }
      });
  }

  return {
    start() {
      isStarted = true;
      look();
    },
    wake: look,
    async runDue() {
      if (!isClockTrusted()) return;
      await noticeClock();
      for (;;) {
        while (await flusher.flushDue());
        const before = deliverer.next();
        const started = await deliverer.start();
        const next = deliverer.next();
        // What ended during the look left room that the look did not see.
        if (started === 0 && next === undefined && before === undefined) return;
        await next;
      }
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
      await deliverer.stop();
    },
  };
}
