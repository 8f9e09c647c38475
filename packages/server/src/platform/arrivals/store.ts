import type { Executor } from '../postgres/database.ts';

/** How late the telemetry of one source arrives, as one server saw it. */
export interface StoredArrival {
  readonly project: number;
  readonly signal: string;
  /** The id of the token that sends. */
  readonly source: string;
  readonly lateMs: number;
  readonly seenAt: Date;
}

export async function listArrivals(db: Executor, since: Date): Promise<(StoredArrival & { replica: string })[]> {
  return db
    .selectFrom('arrivals')
    .select(['project', 'signal', 'source', 'replica', 'late_ms as lateMs', 'seen_at as seenAt'])
    .where('seen_at', '>', since)
    .execute();
}

export async function saveArrivals(db: Executor, replica: string, arrivals: readonly StoredArrival[]): Promise<void> {
  if (arrivals.length === 0) return;
  await db
    .insertInto('arrivals')
    .values(arrivals.map(({ lateMs, seenAt, ...source }) => ({ ...source, replica, late_ms: lateMs, seen_at: seenAt })))
    .onConflict((conflict) =>
      conflict
        .columns(['project', 'signal', 'source', 'replica'])
        .doUpdateSet(({ ref }) => ({ late_ms: ref('excluded.late_ms'), seen_at: ref('excluded.seen_at') })),
    )
    .execute();
}

export async function removeArrivals(db: Executor, before: Date): Promise<void> {
  await db.deleteFrom('arrivals').where('seen_at', '<', before).execute();
}
