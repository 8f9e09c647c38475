import type { Clock } from '../clock.ts';
import type { JobKind } from '../jobs/index.ts';
import type { Log } from '../log.ts';
import { Poller } from '../poller.ts';
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
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #subscribers = new Set<OutboxSubscriber>();
  readonly #unknownTopics = new Set<string>();
  #horizon = 0n;
  #told = new Set<number>();
  #failed: { subscriber: OutboxSubscriber; message: OutboxMessage; attempts: number }[] = [];
  #lastPollMs = 0;
  #toldUntilMs = 0;
  #started = false;
  readonly #poller: Poller;

  constructor(options: OutboxOptions) {
    this.#options = options;
    const { log, pollMs = 1_000 } = options;
    this.#poller = new Poller({
      look: () => this.#poll().then(() => pollMs),
      onError: (error) => log.warn({ err: error }, 'could not read the outbox'),
      retryMs: pollMs,
    });
  }

  /** Polls now, after a commit. */
  wake(): void {
    if (this.#started) this.#poller.wake();
  }

  /** Delivers only messages that are committed from now on; returns a function that ends the subscription. */
  subscribe(subscriber: OutboxSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
    };
  }

  /** Unix milliseconds. All messages that were committed before it have been delivered. 0 before the first poll. */
  toldUntil(): number {
    return this.#toldUntilMs;
  }

  /** Treats existing messages as read and starts polling. */
  async start(): Promise<void> {
    await this.#read();
    this.#started = true;
    this.wake();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  async #read(): Promise<OutboxMessage[]> {
    // Taken before the read, in case the process is suspended during it.
    const at = this.#options.clock.now();
    const seen = await readOutbox(this.#options.db, this.#horizon);
    const news = seen.messages.filter(({ id }) => !this.#told.has(id));
    // Delivered messages are remembered for as long as they can be read again.
    this.#told = new Set(seen.messages.filter(({ txid }) => txid >= seen.horizon).map(({ id }) => id));
    this.#horizon = seen.horizon;
    this.#lastPollMs = at;
    return news;
  }

  async #poll(): Promise<void> {
    const away = this.#options.clock.now() - this.#lastPollMs;
    const news = await this.#read();
    if (away > keepMs) for (const { missed } of this.#subscribers) await missed?.();
    const again = this.#failed;
    this.#failed = [];
    for (const { subscriber, message, attempts } of again)
      if (this.#subscribers.has(subscriber)) await this.#tell(subscriber, message, attempts + 1);
    for (const message of news) {
      const interested = [...this.#subscribers].filter(({ topic }) => topic === message.topic);
      if (interested.length === 0) this.#warnOnce(message.topic);
      for (const subscriber of interested) await this.#tell(subscriber, message, 1);
    }
    if (this.#failed.length === 0) this.#toldUntilMs = this.#lastPollMs;
  }

  /** Normal only while servers of two versions run side by side. */
  #warnOnce(topic: string): void {
    if (this.#unknownTopics.has(topic)) return;
    this.#unknownTopics.add(topic);
    this.#options.log.warn({ topic }, 'the outbox has messages of a topic that nothing on this server subscribes to');
  }

  async #tell(subscriber: OutboxSubscriber, message: OutboxMessage, attempts: number): Promise<void> {
    try {
      await subscriber.on(message);
    } catch (error) {
      this.#options.log.error(
        { err: error, topic: message.topic, id: message.id, attempts },
        'a subscriber of the outbox failed',
      );
      if (attempts < maxAttempts) this.#failed.push({ subscriber, message, attempts });
    }
  }
}

/** Deletes messages after a day. */
export const outboxPruneJob: JobKind = {
  kind: 'outbox.prune',
  everyMs: pruneEveryMs,
  run: (run) => run.finish((trx) => pruneOutbox(trx, new Date(run.now() - keepMs))),
};
