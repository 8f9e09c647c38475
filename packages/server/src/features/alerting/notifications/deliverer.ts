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

export interface Deliverer {
  /** Starts deliveries that are due, as far as there is room; returns how many. */
  start(): Promise<number>;
  /** Resolves when one of those under way has ended; undefined: there are none. */
  next(): Promise<void> | undefined;
  /** Aborts what is under way and gives it back. */
  stop(): Promise<void>;
}

/**
 * Sends deliveries: at least once, in order for each group and channel, with the same key and the same bytes.
 * @param onEnded called after each attempt: there may be room, or a delivery whose turn has come
 */
export function createDeliverer(options: DelivererOptions, onEnded: () => void): Deliverer {
  const { db, clock, log, holder, sender, concurrency, channelConcurrency, triedForMs, random } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const underWay = new Map<string, number>();
  const attempts = new Counter({
    name: 'fanion_notification_attempts_total',
    help: 'Attempts to deliver notifications: delivered, to be tried again, or given up',
    labelNames: ['outcome'],
    registers: [options.metrics ?? new Registry()],
  });

  async function deliver(delivery: store.ClaimedDelivery, channel: ChannelRow): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(attemptMs)]);
    const attempt = await sender.send(channel, delivery.body, delivery.idempotency_key, signal);
    if (stopping.signal.aborted && attempt.kind !== 'delivered') return store.releaseDelivery(db, delivery);
    await conclude(delivery, channel, attempt);
  }

  async function conclude(delivery: store.ClaimedDelivery, channel: ChannelRow, attempt: Attempt): Promise<void> {
    const now = clock.now();
    const at = new Date(now);
    const answer = {
      answer_status: attempt.status,
      answer: clipped(attempt.answer),
      error: attempt.kind === 'delivered' ? null : clipped(attempt.error),
    };
    if (attempt.kind === 'delivered') {
      attempts.inc({ outcome: 'delivered' });
      await store.saveOutcome(db, delivery, { ...answer, status: 'delivered', next_try_at: at }, at);
      if (channel.health !== 'healthy') await markChannel(db, channel.id, { state: 'healthy' }, at);
      return;
    }
    const times = { now, giveUpAt: delivery.give_up_at.getTime(), attempt: delivery.attempt + 1 };
    const retryAfterMs = attempt.kind === 'retry' ? attempt.retryAfterMs : undefined;
    const next = attempt.kind === 'final' ? null : nextAttemptAt({ ...times, retryAfterMs }, random());
    attempts.inc({ outcome: next === null ? 'given up' : 'to be tried again' });
    if (next !== null) {
      await store.saveOutcome(db, delivery, { ...answer, status: 'pending', next_try_at: new Date(next) }, at);
      return;
    }
    await fail(delivery, channel, { ...answer, status: 'failed', next_try_at: at }, at);
  }

  /** Gives a delivery up: the channel is unhealthy, and its fallback gets the message. */
  async function fail(
    delivery: store.ClaimedDelivery,
    channel: ChannelRow,
    outcome: store.Outcome,
    now: Date,
  ): Promise<void> {
    const fallback = await fallbackOf(delivery, channel, now);
    const isOurs = await db.transaction().execute(async (trx) => {
      if (!(await store.saveOutcome(trx, delivery, outcome, now))) return false;
      if (fallback !== undefined) await store.insertDeliveries(trx, [fallback]);
      await markChannel(trx, channel.id, { state: 'unhealthy', error: outcome.error ?? 'unknown' }, now);
      return true;
    });
    if (isOurs) log.warn({ channel: channel.id, error: outcome.error }, 'a notification was given up');
  }

  async function fallbackOf(delivery: store.ClaimedDelivery, channel: ChannelRow, now: Date) {
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

  function run(delivery: store.ClaimedDelivery, channel: ChannelRow): void {
    underWay.set(channel.id, (underWay.get(channel.id) ?? 0) + 1);
    const ended: Promise<void> = deliver(delivery, channel)
      // Its lease ends by itself, and then it is sent again.
      .catch((error: unknown) => log.error({ err: error, delivery: delivery.id }, 'a notification could not be sent'))
      .finally(() => {
        running.delete(ended);
        const left = (underWay.get(channel.id) ?? 1) - 1;
        if (left === 0) underWay.delete(channel.id);
        else underWay.set(channel.id, left);
        onEnded();
      });
    running.add(ended);
  }

  return {
    async start() {
      const limit = concurrency - running.size;
      if (limit <= 0 || stopping.signal.aborted) return 0;
      const now = new Date(clock.now());
      const giveUpAt = new Date(now.getTime() + triedForMs);
      const perChannel = channelConcurrency;
      const claimed = await store.claimDeliveries(db, { holder, now, leaseMs, limit, perChannel, underWay, giveUpAt });
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
        if (channel !== undefined) run(delivery, channel);
      }
      return claimed.length;
    },
    next() {
      return running.size === 0 ? undefined : Promise.race(running);
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

function clipped(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, maxAnswerCharacters).replaceAll('\0', '\uFFFD');
}
