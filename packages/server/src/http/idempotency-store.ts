import type { Selectable } from 'kysely';
import type { Database } from '../platform/postgres/database.ts';
import type { ControlPlane } from '../platform/postgres/schema.ts';

/**
 * Claims a key for a request, for `keepMs`. Returns false if another request has it, done or running. A request that has
 * been running for longer than `abandonedMs` loses its key.
 */
export async function claim(
  db: Database,
  request: { caller: string; key: string; hash: Buffer; now: number; keepMs: number; abandonedMs: number },
): Promise<boolean> {
  const { caller, key, hash, now, keepMs, abandonedMs } = request;
  const running = {
    request_hash: hash,
    state: 'running' as const,
    status: null,
    body: null,
    created_at: new Date(now),
    expires_at: new Date(now + keepMs),
  };
  const claimed = await db
    .insertInto('idempotency_keys')
    .values({ caller, key, ...running })
    .onConflict((conflict) =>
      conflict
        .columns(['caller', 'key'])
        .doUpdateSet(running)
        .where((eb) =>
          eb.or([
            eb('idempotency_keys.expires_at', '<=', new Date(now)),
            eb.and([
              eb('idempotency_keys.state', '=', 'running'),
              eb('idempotency_keys.created_at', '<=', new Date(now - abandonedMs)),
            ]),
          ]),
        ),
    )
    .returning('key')
    .executeTakeFirst();
  return claimed !== undefined;
}

export async function find(
  db: Database,
  caller: string,
  key: string,
): Promise<Selectable<ControlPlane['idempotency_keys']> | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('caller', '=', caller)
    .where('key', '=', key)
    .executeTakeFirst();
}

/** `secret`: the response contained a secret, so it is not stored, and the key cannot be used again. */
export async function finish(
  db: Database,
  caller: string,
  key: string,
  outcome: { state: 'secret' } | { state: 'done'; status: number; body: string | null },
): Promise<void> {
  await db.updateTable('idempotency_keys').set(outcome).where('caller', '=', caller).where('key', '=', key).execute();
}

export async function remove(db: Database, caller: string, key: string): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('caller', '=', caller).where('key', '=', key).execute();
}

/** Removes expired keys; called by a job. */
export async function removeExpiredKeys(db: Database, now: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('expires_at', '<=', now).execute();
}
