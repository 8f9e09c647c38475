import { sql } from 'kysely';
import type { Database, Executor } from '../../../platform/postgres/database.ts';

export interface NewDelivery {
  readonly id: string;
  readonly workspace_id: string;
  readonly group_id: string;
  readonly channel_id: string;
  readonly flush: number;
  /** The same for each attempt, and for a flush that is decided again after a crash. */
  readonly idempotency_key: string;
  readonly reason: string;
  readonly body: string;
  readonly notification: string;
  readonly fallback_for: string | null;
  readonly hops: number;
  readonly status: 'pending' | 'failed';
  readonly error: string | null;
  readonly next_try_at: Date;
  readonly created_at: Date;
}

export async function insertDeliveries(
  trx: Executor,
  deliveries: readonly (NewDelivery & { readonly instanceIds: readonly string[] })[],
): Promise<void> {
  if (deliveries.length === 0) return;
  await trx
    .insertInto('notification_deliveries')
    .values(
      deliveries.map(({ instanceIds: _instanceIds, ...delivery }) => ({
        ...delivery,
        give_up_at: null,
        holder: null,
        lease_until: null,
        answer_status: null,
        answer: null,
        finished_at: delivery.status === 'failed' ? delivery.created_at : null,
      })),
    )
    .execute();
  const rows = deliveries.flatMap(({ id, instanceIds }) =>
    instanceIds.map((instance) => ({ delivery_id: id, instance_id: instance })),
  );
  for (let at = 0; at < rows.length; at += 1_000)
    await trx
      .insertInto('delivery_instances')
      .values(rows.slice(at, at + 1_000))
      .execute();
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly workspace_id: string;
  readonly group_id: string;
  readonly channel_id: string;
  readonly flush: number;
  readonly idempotency_key: string;
  readonly reason: string;
  readonly body: string;
  readonly notification: unknown;
  readonly hops: number;
  /** Attempts before this one. */
  readonly attempt: number;
  readonly give_up_at: Date;
  readonly lease_epoch: number;
}

/**
 * Claims deliveries that are due: of a group and a channel only the oldest one that is not finished, so that a channel hears
 * of a group in order; and of a channel at most so many, so that a slow one does not take the room of others.
 */
export async function claimDeliveries(
  db: Database,
  options: {
    readonly holder: string;
    readonly now: Date;
    readonly leaseMs: number;
    readonly limit: number;
    readonly perChannel: number;
    /** How many of a channel are under way here. */
    readonly underWay: ReadonlyMap<string, number>;
    readonly giveUpAt: Date;
  },
): Promise<ClaimedDelivery[]> {
  const { holder, now, leaseMs, limit, perChannel, underWay, giveUpAt } = options;
  const { rows } = await sql<ClaimedDelivery>`
    WITH busy AS (
      SELECT unnest(${[...underWay.keys()]}::uuid[]) AS channel_id, unnest(${[...underWay.values()]}::int[]) AS count
    ), candidates AS (
      SELECT d.id, d.next_try_at, d.channel_id, row_number() OVER (PARTITION BY d.channel_id ORDER BY d.next_try_at, d.flush, d.id) AS place
      FROM notification_deliveries d JOIN workspaces w ON w.id = d.workspace_id AND w.deleted_at IS NULL
      WHERE d.status = 'pending' AND d.next_try_at <= ${now} AND (d.lease_until IS NULL OR d.lease_until <= ${now})
        AND NOT EXISTS (
          SELECT 1 FROM notification_deliveries e
          WHERE e.group_id = d.group_id AND e.channel_id = d.channel_id AND e.status = 'pending' AND e.flush < d.flush)
    ), chosen AS (
      SELECT c.id FROM candidates c LEFT JOIN busy b ON b.channel_id = c.channel_id
      WHERE c.place <= ${perChannel}::int - COALESCE(b.count, 0) ORDER BY c.next_try_at, c.id LIMIT ${limit}
    ), due AS (
      SELECT d.id FROM notification_deliveries d
      WHERE d.id IN (SELECT id FROM chosen) AND d.status = 'pending' AND (d.lease_until IS NULL OR d.lease_until <= ${now})
      FOR UPDATE SKIP LOCKED
    )
    UPDATE notification_deliveries AS d
    SET holder = ${holder}, lease_until = ${new Date(now.getTime() + leaseMs)}, lease_epoch = d.lease_epoch + 1, give_up_at = COALESCE(d.give_up_at, ${giveUpAt})
    FROM due WHERE d.id = due.id
    RETURNING d.id, d.workspace_id, d.group_id, d.channel_id, d.flush, d.idempotency_key, d.reason, d.body, d.notification, d.hops::int AS hops,
      d.attempt, d.give_up_at, d.lease_epoch::int AS lease_epoch`.execute(db);
  return rows;
}

export interface Outcome {
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly answer_status: number | null;
  readonly answer: string | null;
  readonly error: string | null;
  readonly next_try_at: Date;
}

/**
 * Notes what became of an attempt; returns false where another replica has taken the delivery meanwhile. The repeat interval of
 * the group counts from the delivery.
 */
export async function saveOutcome(
  db: Executor,
  { id, lease_epoch, attempt }: ClaimedDelivery,
  { status, answer_status, answer, error, next_try_at }: Outcome,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    WITH ended AS (
      UPDATE notification_deliveries SET status = ${status}, answer_status = ${answer_status}, answer = ${answer}, error = ${error},
        next_try_at = ${next_try_at}, attempt = ${attempt + 1}, holder = NULL, lease_until = NULL, finished_at = ${status === 'pending' ? null : now}
      WHERE id = ${id} AND lease_epoch = ${lease_epoch} AND status = 'pending'
      RETURNING id, group_id, channel_id, status, fallback_for
    ), told AS (
      UPDATE alert_group_sent AS s SET at = ${now} FROM ended AS e
      WHERE s.group_id = e.group_id AND s.channel_id = e.channel_id AND e.status = 'delivered' AND e.fallback_for IS NULL
    )
    SELECT id FROM ended`.execute(db);
  return rows.length > 0;
}

/** Gives a delivery back that was not tried to its end. */
export async function releaseDelivery(db: Executor, { id, lease_epoch }: ClaimedDelivery): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set({ holder: null, lease_until: null })
    .where('id', '=', id)
    .where('lease_epoch', '=', lease_epoch)
    .execute();
}

/** Makes all deliveries due that wait for another attempt. */
export async function hastenDeliveries(db: Executor, now: Date): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set({ next_try_at: now })
    .where('status', '=', 'pending')
    .where('next_try_at', '>', now)
    .execute();
}

/** The alerts that a delivery is about. */
export async function listInstancesOf(db: Executor, deliveryId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('delivery_instances')
    .select('instance_id')
    .where('delivery_id', '=', deliveryId)
    .execute();
  return rows.map(({ instance_id }) => instance_id);
}

/** The messages about an alert, newest first. */
export async function listDeliveriesOf(db: Executor, workspaceId: string, instanceId: string, limit: number) {
  return db
    .selectFrom('delivery_instances as i')
    .innerJoin('notification_deliveries as d', 'd.id', 'i.delivery_id')
    .innerJoin('channels as c', 'c.id', 'd.channel_id')
    .select([
      'd.id',
      'd.channel_id',
      'c.name as channel_name',
      'c.kind as channel_kind',
      'd.fallback_for',
      'd.reason',
      sql<string>`d.notification->>'status'`.as('notified'),
      'd.status',
      'd.attempt',
      'd.answer_status',
      'd.answer',
      'd.error',
      'd.created_at',
      'd.next_try_at',
      'd.finished_at',
    ])
    .where('i.instance_id', '=', instanceId)
    .where('d.workspace_id', '=', workspaceId)
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute();
}

export async function pruneDeliveries(db: Executor, finishedBefore: Date): Promise<void> {
  await db.deleteFrom('notification_deliveries').where('finished_at', '<', finishedBefore).execute();
}
