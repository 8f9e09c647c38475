import type { Executor } from '../../../platform/postgres/database.ts';

/** Those of these SDK keys that are not revoked and whose place was not removed. */
export async function findLiveKeys(db: Executor, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('sdk_keys as k')
    .innerJoin('environments as e', 'e.id', 'k.environment_id')
    .innerJoin('projects as p', 'p.id', 'k.project_id')
    .innerJoin('workspaces as w', 'w.id', 'k.workspace_id')
    .select('k.id')
    .where('k.id', 'in', ids)
    .where('k.revoked_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .where('p.deleted_at', 'is', null)
    .where('w.deleted_at', 'is', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
