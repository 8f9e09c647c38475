import { sql } from 'kysely';
import type { Database, Executor } from '../postgres/database.ts';

export const outboxChannel = 'fanion_outbox';

/** Something that happened, told to every replica. */
export interface NewOutboxMessage {
  /** `area.event`, such as `environments.removed`. */
  readonly topic: string;
  /** What it happened to. */
  readonly key: string;
  readonly payload: unknown;
}

export interface OutboxMessage extends NewOutboxMessage {
  readonly id: number;
  readonly createdAt: Date;
}

/**
 * Tells all replicas of a change, in its transaction: they hear of it if and only if it is committed. Call `wake` of
 * the outbox after the commit, so that this replica hears at once; others are notified by PostgreSQL, or poll.
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
  /** Every transaction below this one has ended: what they wrote is among what was ever read. */
  readonly horizon: bigint;
}

/** What transactions from `from` on have written and committed so far, by transaction and id. */
export async function readOutbox(db: Database, from: bigint): Promise<OutboxRead> {
  // The snapshot of the statement tells the horizon, so both are of one moment.
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
