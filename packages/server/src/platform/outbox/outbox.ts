import type { Clock } from '../clock.ts';
import type { JobKind } from '../jobs/index.ts';
import type { Log } from '../log.ts';
import type { Database } from '../postgres/database.ts';
import { type OutboxMessage, pruneOutbox, readOutbox } from './store.ts';

/** How long messages are kept. A replica that was down for longer has missed some and is notified. */
const keepMs = 24 * 3_600_000;
const pruneEveryMs = 3_600_000;
const maxAttempts = 5;

export interface OutboxSubscriber {
  readonly topic: string;
  /** Called once per message and replica; called again after some polls if it throws. */
  readonly on: (message: OutboxMessage) => void | Promise<void>;
  /** Called if messages may have been missed: read the state itself. */
  readonly missed?: () => void | Promise<void>;
}

export interface Outbox {
  /** Delivers only messages that are committed from now on; returns a function that ends the subscription. */
  subscribe(subscriber: OutboxSubscriber): () => void;
  /** Unix milliseconds. All messages that were committed before it have been delivered. 0 before the first poll. */
  toldUntil(): number;
  /** Polls now, after a commit. */
  wake(): void;
  /** Treats existing messages as read and starts polling. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface OutboxOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** @default 1_000 */
  readonly pollMs?: number;
}

/**
 * Notifies every replica of commits. Ids are assigned when a row is written, not when it is committed, so a reader that
 * remembers the highest id misses rows of slower transactions. Here each row has the id of its transaction. A poll
 * reads from the oldest transaction that was still open at the previous poll, and skips delivered messages by id:
 * nothing is missed, and only a slow transaction's own rows wait for it.
 */
export function createOutbox({ db, clock, log, pollMs = 1_000 }: OutboxOptions): Outbox {
  const subscribers = new Set<OutboxSubscriber>();
  const unknownTopics = new Set<string>();
  let horizon = 0n;
  let told = new Set<number>();
  let failed: { subscriber: OutboxSubscriber; message: OutboxMessage; attempts: number }[] = [];
  let lastPollMs = 0;
  let toldUntilMs = 0;
  let started = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let pollAgain = false;

  async function read(): Promise<OutboxMessage[]> {
    // Taken before the read, in case the process is suspended during it.
    const at = clock.now();
    const seen = await readOutbox(db, horizon);
    const news = seen.messages.filter(({ id }) => !told.has(id));
    // Delivered messages are remembered for as long as they can be read again.
    told = new Set(seen.messages.filter(({ txid }) => txid >= seen.horizon).map(({ id }) => id));
    horizon = seen.horizon;
    lastPollMs = at;
    return news;
  }

  async function poll(): Promise<void> {
    const away = clock.now() - lastPollMs;
    const news = await read();
    if (away > keepMs) for (const { missed } of subscribers) await missed?.();
    const again = failed;
    failed = [];
    for (const { subscriber, message, attempts } of again)
      if (subscribers.has(subscriber)) await tell(subscriber, message, attempts + 1);
    for (const message of news) {
      const interested = [...subscribers].filter(({ topic }) => topic === message.topic);
      if (interested.length === 0) warnOnce(message.topic);
      for (const subscriber of interested) await tell(subscriber, message, 1);
    }
    if (failed.length === 0) toldUntilMs = lastPollMs;
  }

  /** Normal only while servers of two versions run side by side. */
  function warnOnce(topic: string): void {
    if (unknownTopics.has(topic)) return;
    unknownTopics.add(topic);
    log.warn({ topic }, 'the outbox has messages of a topic that nothing on this server subscribes to');
  }

  async function tell(subscriber: OutboxSubscriber, message: OutboxMessage, attempts: number): Promise<void> {
    try {
      await subscriber.on(message);
    } catch (error) {
      log.error({ err: error, topic: message.topic, id: message.id, attempts }, 'a subscriber of the outbox failed');
      if (attempts < maxAttempts) failed.push({ subscriber, message, attempts });
    }
  }

  /** One poll at a time; a wake-up during a poll starts another one after it. */
  function look(): void {
    if (!started || stopped) return;
    if (polling !== undefined) {
      pollAgain = true;
      return;
    }
    clearTimeout(timer);
    polling = poll()
      .catch((error: unknown) => log.warn({ err: error }, 'could not read the outbox'))
      .finally(() => {
        polling = undefined;
        if (stopped) return;
        if (pollAgain) {
          pollAgain = false;
          look();
        } else timer = setTimeout(look, pollMs);
      });
  }

  return {
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => {
        subscribers.delete(subscriber);
      };
    },
    toldUntil: () => toldUntilMs,
    wake: look,
    async start() {
      await read();
      started = true;
      look();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await polling;
    },
  };
}

/** Deletes messages after a day. */
export const outboxPruneJob: JobKind = {
  kind: 'outbox.prune',
  everyMs: pruneEveryMs,
  run: (run) => run.finish((trx) => pruneOutbox(trx, new Date(run.now() - keepMs))),
};
