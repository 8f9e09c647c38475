import type { Executor } from '../../../platform/postgres/database.ts';

/** Keys of a workspace's projects, or of the one that is given. */
export async function listProjectKeys(
  db: Executor,
  workspaceId: string,
  projectId: string | undefined,
  limit: number,
): Promise<string[]> {
  let query = db
    .selectFrom('projects')
    .select('key')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .orderBy('key')
    .limit(limit);
  if (projectId !== undefined) query = query.where('id', '=', projectId);
  return (await query.execute()).map(({ key }) => key);
}

export async function listEnvironmentKeys(
  db: Executor,
  workspaceId: string,
  projectId: string | undefined,
  limit: number,
): Promise<string[]> {
  let query = db
    .selectFrom('environments as e')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .select('e.key')
    .distinct()
    .where('p.workspace_id', '=', workspaceId)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .orderBy('e.key')
    .limit(limit);
  if (projectId !== undefined) query = query.where('p.id', '=', projectId);
  return (await query.execute()).map(({ key }) => key);
}

/** Keys of flags that are not archived. */
export async function listFlagKeys(
  db: Executor,
  workspaceId: string,
  projectIds: readonly string[] | undefined,
  limit: number,
): Promise<string[]> {
  if (projectIds?.length === 0) return [];
  let query = db
    .selectFrom('flags as f')
    .innerJoin('projects as p', 'p.id', 'f.project_id')
    .select('f.key')
    .distinct()
    .where('p.workspace_id', '=', workspaceId)
    .where('p.deleted_at', 'is', null)
    .where('f.archived', '=', false)
    .orderBy('f.key')
    .limit(limit);
  if (projectIds !== undefined) query = query.where('p.id', 'in', [...projectIds]);
  return (await query.execute()).map(({ key }) => key);
}
