import { sql } from 'kysely';
import type { Database, Executor } from '../../../platform/postgres/database.ts';

export interface HeldShard {
  readonly shard: number;
  readonly epoch: number;
  readonly revision: number;
  /** Up to when its rules had been evaluated when it was claimed. */
  readonly evaluatedAt: Date | null;
}

/** Makes the rows of shards that are not there yet. */
export async function ensureShards(db: Database, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, shard) => ({ shard, epoch: 0, revision: 0 }));
  await db
    .insertInto('alert_shards')
    .values(rows)
    .onConflict((conflict) => conflict.column('shard').doNothing())
    .execute();
}

/**
 * Prolongs the leases that this replica holds, up to `share` of them, and takes free shards up to that number. Each
 * change of holder is a new epoch, so that what the one before still wants to write is refused. A lease that is
 * prolonged says up to when the shard's rules have been evaluated.
 */
export async function claimShards(
  db: Database,
  { holder, share, now, leaseMs }: { holder: string; share: number; now: Date; leaseMs: number },
): Promise<HeldShard[]> {
  const until = new Date(now.getTime() + leaseMs);
  const { rows } = await sql<HeldShard>`
    WITH mine AS (
      SELECT shard, holder = ${holder} AND lease_until > ${now} AS is_mine FROM alert_shards
      WHERE (holder = ${holder} AND lease_until > ${now}) OR lease_until IS NULL OR lease_until <= ${now}
      ORDER BY is_mine DESC NULLS LAST, shard LIMIT ${share} FOR UPDATE SKIP LOCKED
    )
    UPDATE alert_shards AS s
    SET holder = ${holder}, lease_until = ${until},
      epoch = CASE WHEN mine.is_mine THEN s.epoch ELSE s.epoch + 1 END,
      evaluated_at = CASE WHEN mine.is_mine THEN ${now} ELSE s.evaluated_at END
    FROM mine WHERE s.shard = mine.shard
    RETURNING s.shard::int AS shard, s.epoch::int AS epoch, s.revision::int AS revision, s.evaluated_at AS "evaluatedAt"`.execute(
    db,
  );
  return rows;
}

/** How many replicas hold shards or may take them: those that were seen since then. */
export async function countHolders(db: Database, holder: string, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(DISTINCT id)::int AS count FROM (
      SELECT id::text AS id FROM replicas WHERE seen_at > ${since} AND 'jobs' = ANY(string_to_array(roles, ','))
      UNION SELECT ${holder}::text) AS replica`.execute(db);
  return rows[0]?.count ?? 1;
}

/** Whether the shard is still held in this epoch; if so, it cannot be taken over before the transaction ends. */
export async function holdsShard(trx: Executor, shard: number, epoch: number): Promise<boolean> {
  const row = await trx
    .selectFrom('alert_shards')
    .select('shard')
    .where('shard', '=', shard)
    .where('epoch', '=', sql<string>`${epoch}`)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function releaseShards(db: Database, holder: string): Promise<void> {
  await db.updateTable('alert_shards').set({ holder: null, lease_until: null }).where('holder', '=', holder).execute();
}

/** Notes how an evaluation of a rule went; returns false where the rule was changed meanwhile. */
export async function saveHealth(
  trx: Executor,
  rule: { readonly id: string; readonly version: number },
  health: {
    readonly evaluatedAt: Date | null;
    readonly error: string | null;
    readonly delayed: boolean;
    readonly missed: number;
  },
): Promise<boolean> {
  const row = await trx
    .updateTable('alert_rules')
    .set({
      evaluated_at: health.evaluatedAt,
      last_error: health.error,
      delayed: health.delayed,
      missed: sql`missed + ${health.missed}`,
    })
    .where('id', '=', rule.id)
    .where('version', '=', rule.version)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
