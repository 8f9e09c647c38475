import { sql } from 'kysely';
import type { Executor } from '../postgres/database.ts';
import type { Replica, SeenReplica } from './rules.ts';

/** Locks out others until the transaction ends, so that two servers that start at once see each other. */
export async function lockReplicas(trx: Executor): Promise<void> {
  await sql`LOCK TABLE replicas IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
}

/**
 * All registered replicas. Silence is measured by the control plane's clock, since the replicas' clocks may differ by
 * more than the stale limit.
 */
export async function findReplicas(db: Executor): Promise<SeenReplica[]> {
  return db
    .selectFrom('replicas')
    .select([
      'id',
      'roles',
      'telemetry_store as telemetryStore',
      'version',
      'started_at as startedAt',
      'stored_to as storedTo',
      sql<number>`greatest(0, extract(epoch FROM clock_timestamp() - seen_at))::float8`.as('silentSeconds'),
    ])
    .orderBy('started_at')
    .execute();
}

export async function saveReplica(db: Executor, replica: Replica): Promise<void> {
  const values = { roles: replica.roles, telemetry_store: replica.telemetryStore, version: replica.version };
  await db
    .insertInto('replicas')
    .values({ id: replica.id, ...values, started_at: sql`clock_timestamp()`, seen_at: sql`clock_timestamp()` })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ ...values, started_at: sql`clock_timestamp()`, seen_at: sql`clock_timestamp()` }),
    )
    .execute();
}

/**
 * Returns the time of the control plane in milliseconds since the epoch, or undefined if the row was deleted.
 * @param storedTo undefined: not known yet, so that what it said before it was restarted remains
 */
export async function touchReplica(
  db: Executor,
  id: string,
  { roles, storedTo }: { readonly roles: string; readonly storedTo: Date | undefined },
): Promise<number | undefined> {
  const row = await db
    .updateTable('replicas')
    .set({ seen_at: sql`clock_timestamp()`, roles, ...(storedTo && { stored_to: storedTo }) })
    .where('id', '=', id)
    .returning(sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::float8`.as('nowMs'))
    .executeTakeFirst();
  return row?.nowMs;
}

export async function removeReplica(db: Executor, id: string): Promise<void> {
  await db.deleteFrom('replicas').where('id', '=', id).execute();
}

export async function removeSilentReplicas(db: Executor, silentSeconds: number): Promise<void> {
  await db
    .deleteFrom('replicas')
    .where(sql<boolean>`seen_at < clock_timestamp() - make_interval(secs => ${silentSeconds}::float8)`)
    .execute();
}
