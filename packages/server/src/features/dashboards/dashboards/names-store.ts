import type { Executor } from '../../../platform/postgres/database.ts';

/** Projects of a workspace, or those of them that are given. */
function projectsOf(db: Executor, workspaceId: string, projectIds: readonly string[] | undefined) {
  const query = db
    .selectFrom('projects as p')
    .where('p.workspace_id', '=', workspaceId)
    .where('p.deleted_at', 'is', null);
  return projectIds === undefined ? query : query.where('p.id', 'in', [...projectIds]);
}

export async function listProjectKeys(
  db: Executor,
  workspaceId: string,
  projectIds: readonly string[] | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await projectsOf(db, workspaceId, projectIds).select('p.key').orderBy('p.key').limit(limit).execute();
  return rows.map(({ key }) => key);
}

export async function listEnvironmentKeys(
  db: Executor,
  workspaceId: string,
  projectIds: readonly string[] | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await projectsOf(db, workspaceId, projectIds)
    .innerJoin('environments as e', 'e.project_id', 'p.id')
    .where('e.deleted_at', 'is', null)
    .select('e.key')
    .distinct()
    .orderBy('e.key')
    .limit(limit)
    .execute();
  return rows.map(({ key }) => key);
}

/** Keys of flags that are not archived. */
export async function listFlagKeys(
  db: Executor,
  workspaceId: string,
  projectIds: readonly string[] | undefined,
  limit: number,
): Promise<string[]> {
  if (projectIds?.length === 0) return [];
  const rows = await projectsOf(db, workspaceId, projectIds)
    .innerJoin('flags as f', 'f.project_id', 'p.id')
    .where('f.archived', '=', false)
    .select('f.key')
    .distinct()
    .orderBy('f.key')
    .limit(limit)
    .execute();
  return rows.map(({ key }) => key);
}

/** Which of these SLOs the workspace has. */
export async function listSloIds(db: Executor, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('slos')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', [...ids])
    .execute();
  return rows.map(({ id }) => id);
}

/** Which of these experiments the workspace has. */
export async function listExperimentIds(db: Executor, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await projectsOf(db, workspaceId, undefined)
    .innerJoin('experiments as x', 'x.project_id', 'p.id')
    .select('x.id')
    .where('x.id', 'in', [...ids])
    .execute();
  return rows.map(({ id }) => id);
}

/** A flag, archived or not, and an environment of its project. */
export interface FlagPlace {
  readonly projectId: string;
  readonly project: string;
  /** Null for a project without environments. */
  readonly environment: string | null;
  readonly flag: string;
}

/** Where flags with these keys are, in the projects that are given or in all of the workspace. */
export async function listFlagPlaces(
  db: Executor,
  workspaceId: string,
  projectIds: readonly string[] | undefined,
  keys: readonly string[],
): Promise<FlagPlace[]> {
  if (keys.length === 0 || projectIds?.length === 0) return [];
  return projectsOf(db, workspaceId, projectIds)
    .innerJoin('flags as f', 'f.project_id', 'p.id')
    .leftJoin('environments as e', (join) => join.onRef('e.project_id', '=', 'p.id').on('e.deleted_at', 'is', null))
    .where('f.key', 'in', [...keys])
    .select(['p.id as projectId', 'p.key as project', 'e.key as environment', 'f.key as flag'])
    .execute();
}
