import type { Config } from '../../../config.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { Counter, Registry } from '../../../platform/own-metrics.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type ChannelRow, type ChannelSender, findChannels, markChannel } from '../channels/index.ts';
import type { Attempt } from '../notification.ts';
import * as store from './deliveries-store.ts';
import { revived } from './message-rules.ts';
import { nextAttemptAt } from './retry-rules.ts';

export interface DelivererOptions extends Pick<Config['notify'], 'concurrency' | 'channelConcurrency' | 'triedForMs'> {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
  readonly sender: ChannelSender;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Gets the deliverer's own metrics. */
  readonly metrics?: Registry;
}

/** An attempt ends before its lease does, so that two replicas do not send at once. */
const attemptMs = 70_000;
const leaseMs = 90_000;
/** Channels that stand in for one another, one after the other. */
const maxHops = 3;
const maxAnswerCharacters = 2_000;

/**
 * Sends deliveries: at least once, in order for each group and channel, with the same key and the same bytes.
 * @param onEnded called after each attempt: there may be room, or a delivery whose turn has come
 */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #onEnded: () => void;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #underWay = new Map<string, number>();
  readonly #attempts: Counter<'outcome'>;

  constructor(options: DelivererOptions, onEnded: () => void) {
    this.#options = options;
    this.#onEnded = onEnded;
    this.#attempts = new Counter({
      name: 'fanion_notification_attempts_total',
      help: 'Attempts to deliver notifications: delivered, to be tried again, or given up',
      labelNames: ['outcome'],
      registers: [options.metrics ?? new Registry()],
    });
  }

  /** Starts deliveries that are due, as far as there is room; returns how many. */
  async start(): Promise<number> {
    const { concurrency, clock, triedForMs, channelConcurrency, db, holder } = this.#options;
    const limit = concurrency - this.#running.size;
    if (limit <= 0 || this.#stopping.signal.aborted) return 0;
    const now = new Date(clock.now());
    const giveUpAt = new Date(now.getTime() + triedForMs);
    const perChannel = channelConcurrency;
    const claimed = await store.claimDeliveries(db, {
      holder,
      now,
      leaseMs,
      limit,
      perChannel,
      underWay: this.#underWay,
      giveUpAt,
    });
    const channels = new Map<string, ChannelRow>();
    for (const workspaceId of new Set(claimed.map(({ workspace_id }) => workspace_id))) {
      const ids = claimed
        .filter(({ workspace_id }) => workspace_id === workspaceId)
        .map(({ channel_id }) => channel_id);
      for (const row of await findChannels(db, workspaceId, [...new Set(ids)])) channels.set(row.id, row);
    }
    for (const delivery of claimed) {
      const channel = channels.get(delivery.channel_id);
      // Deleted meanwhile, and the delivery with it.
      if (channel !== undefined) this.#run(delivery, channel);
    }
    return claimed.length;
  }

  /** Resolves when one of the running requests ends; undefined if none is running. */
  next(): Promise<void> | undefined {
    return this.#running.size === 0 ? undefined : Promise.race(this.#running);
  }

  /** Aborts what is under way and gives it back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #deliver(delivery: store.ClaimedDelivery, channel: ChannelRow): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(attemptMs)]);
    const attempt = await this.#options.sender.send(channel, delivery.body, delivery.idempotency_key, signal);
    if (this.#stopping.signal.aborted && attempt.kind !== 'delivered')
      return store.releaseDelivery(this.#options.db, delivery);
    await this.#conclude(delivery, channel, attempt);
  }

  async #conclude(delivery: store.ClaimedDelivery, channel: ChannelRow, attempt: Attempt): Promise<void> {
    const { clock, db, random } = this.#options;
    const now = clock.now();
    const at = new Date(now);
    const answer = {
      answer_status: attempt.status,
      answer: clipped(attempt.answer),
      error: attempt.kind === 'delivered' ? null : clipped(attempt.error),
    };
    if (attempt.kind === 'delivered') {
      this.#attempts.inc({ outcome: 'delivered' });
      await store.saveOutcome(db, delivery, { ...answer, status: 'delivered', next_try_at: at }, at);
      if (channel.health !== 'healthy') await markChannel(db, channel.id, { state: 'healthy' }, at);
      return;
    }
    const times = { now, giveUpAt: delivery.give_up_at.getTime(), attempt: delivery.attempt + 1 };
    const retryAfterMs = attempt.kind === 'retry' ? attempt.retryAfterMs : undefined;
    const next = attempt.kind === 'final' ? null : nextAttemptAt({ ...times, retryAfterMs }, random());
    this.#attempts.inc({ outcome: next === null ? 'given up' : 'to be tried again' });
    if (next !== null) {
      await store.saveOutcome(db, delivery, { ...answer, status: 'pending', next_try_at: new Date(next) }, at);
      return;
    }
    await this.#fail(delivery, channel, { ...answer, status: 'failed', next_try_at: at }, at);
  }

  /** Gives a delivery up: the channel is unhealthy, and its fallback gets the message. */
  async #fail(delivery: store.ClaimedDelivery, channel: ChannelRow, outcome: store.Outcome, now: Date): Promise<void> {
    const fallback = await this.#fallbackOf(delivery, channel, now);
    const isOurs = await this.#options.db.transaction().execute(async (trx) => {
      if (!(await store.saveOutcome(trx, delivery, outcome, now))) return false;
      if (fallback !== undefined) await store.insertDeliveries(trx, [fallback]);
      await markChannel(trx, channel.id, { state: 'unhealthy', error: outcome.error ?? 'unknown' }, now);
      return true;
    });
    if (isOurs) this.#options.log.warn({ channel: channel.id, error: outcome.error }, 'a notification was given up');
  }

  async #fallbackOf(delivery: store.ClaimedDelivery, channel: ChannelRow, now: Date) {
    const { db, sender } = this.#options;
    if (channel.fallback === null || delivery.hops >= maxHops) return undefined;
    const [fallback] = await findChannels(db, delivery.workspace_id, [channel.fallback]);
    if (fallback === undefined) return undefined;
    const message = revived(delivery.notification);
    return {
      id: newId(now.getTime()),
      workspace_id: delivery.workspace_id,
      group_id: delivery.group_id,
      channel_id: fallback.id,
      flush: delivery.flush,
      idempotency_key: `${delivery.idempotency_key}.${fallback.id}`,
      reason: delivery.reason,
      body: sender.render(fallback, message),
      notification: JSON.stringify(delivery.notification),
      fallback_for: delivery.id,
      hops: delivery.hops + 1,
      status: 'pending' as const,
      error: null,
      next_try_at: now,
      created_at: now,
      instanceIds: await store.listInstancesOf(db, delivery.id),
    };
  }

  #run(delivery: store.ClaimedDelivery, channel: ChannelRow): void {
    this.#underWay.set(channel.id, (this.#underWay.get(channel.id) ?? 0) + 1);
    const ended: Promise<void> = this.#deliver(delivery, channel)
      // Its lease ends by itself, and then it is sent again.
      .catch((error: unknown) =>
        this.#options.log.error({ err: error, delivery: delivery.id }, 'a notification could not be sent'),
      )
      .finally(() => {
        this.#running.delete(ended);
        const left = (this.#underWay.get(channel.id) ?? 1) - 1;
        if (left === 0) this.#underWay.delete(channel.id);
        else this.#underWay.set(channel.id, left);
        this.#onEnded();
      });
    this.#running.add(ended);
  }
}

function clipped(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, maxAnswerCharacters).replaceAll('\0', '\uFFFD');
}
