import { sql } from 'kysely';
import type { Database, Executor } from '../postgres/database.ts';

export const outboxChannel = 'fanion_outbox';

/** An event for every replica. */
export interface NewOutboxMessage {
  /** `area.event`, such as `environments.removed`. */
  readonly topic: string;
  /** The subject of the event. */
  readonly key: string;
  readonly payload: unknown;
}

export interface OutboxMessage extends NewOutboxMessage {
  readonly id: number;
  readonly createdAt: Date;
}

/**
 * Notifies all replicas of a change, in its transaction: they are notified if and only if it is committed. Call `wake`
 * of the outbox after the commit, so that this replica is notified at once; PostgreSQL notifies the others, or they
 * poll.
 */
export async function appendOutbox(trx: Executor, ...messages: readonly NewOutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await trx
    .insertInto('outbox')
    .values(messages.map(({ topic, key, payload }) => ({ topic, key, payload: JSON.stringify(payload) })))
    .execute();
  await sql`SELECT pg_notify(${outboxChannel}, '')`.execute(trx);
}

export interface OutboxRead {
  readonly messages: readonly (OutboxMessage & { readonly txid: bigint })[];
  /** Every transaction below this one has ended, so all their messages have been read. */
  readonly horizon: bigint;
}

/** Committed messages of transactions from `from` on, by transaction and id. */
export async function readOutbox(db: Database, from: bigint): Promise<OutboxRead> {
  // The horizon comes from the statement's own snapshot, so both are consistent.
  const { rows } = await sql<{
    horizon: string;
    id: number | null;
    txid: string;
    topic: string;
    key: string;
    payload: unknown;
    created_at: Date;
  }>`
    SELECT h.horizon::text AS horizon, o.id, o.txid::text AS txid, o.topic, o.key, o.payload, o.created_at
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon) AS h LEFT JOIN outbox AS o ON o.txid >= ${String(from)}::xid8
    ORDER BY o.txid, o.id`.execute(db);
  return {
    horizon: BigInt(rows[0]?.horizon ?? from),
    messages: rows.flatMap(({ id, txid, topic, key, payload, created_at }) =>
      id === null ? [] : [{ id, txid: BigInt(txid), topic, key, payload, createdAt: created_at }],
    ),
  };
}

export async function pruneOutbox(db: Executor, before: Date): Promise<void> {
  await db.deleteFrom('outbox').where('created_at', '<', before).execute();
}
