import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { StoredRetention } from './retention-rules.ts';

export interface ProjectRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly retention: StoredRetention;
  readonly created_at: Date;
}
export interface EnvironmentRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly requires_approval: boolean;
  readonly created_at: Date;
}

const projectColumns = ['id', 'key', 'name', 'retention', 'created_at'] as const;
const environmentColumns = ['id', 'key', 'name', 'requires_approval', 'created_at'] as const;

/** Projects by key; `only` is the one that a pinned token may see, `search` matches key and name. */
export async function listProjects(
  db: Executor,
  workspaceId: string,
  options: { only: string | undefined; search: string | undefined; after: string | undefined; limit: number },
): Promise<ProjectRow[]> {
  const { only, search, after, limit } = options;
  let query = db
    .selectFrom('projects')
    .select(projectColumns)
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .orderBy('key')
    .limit(limit);
  if (only !== undefined) query = query.where('id', '=', only);
  if (after !== undefined) query = query.where('key', '>', after);
  if (search !== undefined && search !== '')
    query = query.where(sql<boolean>`strpos(lower(key || ' ' || name), lower(${search})) > 0`);
  return query.execute();
}

export async function countProjects(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('projects')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Locks a project until the transaction ends, so that its environments can be counted. Undefined: it was removed. */
export async function lockProject(trx: Executor, id: string): Promise<ProjectRow | undefined> {
  return trx
    .selectFrom('projects')
    .select(projectColumns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function updateProject(
  trx: Executor,
  id: string,
  { name, retention }: { name: string; retention: StoredRetention },
): Promise<void> {
  await trx
    .updateTable('projects')
    .set({ name, retention: JSON.stringify(retention) })
    .where('id', '=', id)
    .execute();
}

/** Undefined: the project was removed. */
export async function findRetention(db: Executor, id: string): Promise<StoredRetention | undefined> {
  const row = await db.selectFrom('projects').select('retention').where('id', '=', id).executeTakeFirst();
  return row?.retention;
}

/** Environments in the order of their creation; `only` is the one that a pinned token may see. */
export async function listEnvironments(
  db: Executor,
  projectId: string,
  { only, after, limit }: { only: string | undefined; after: string | undefined; limit: number },
): Promise<EnvironmentRow[]> {
  let query = db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(limit);
  if (only !== undefined) query = query.where('id', '=', only);
  if (after !== undefined) query = query.where('id', '>', after);
  return query.execute();
}

/** The environments of a project, or of all live projects of a workspace. */
export async function listKnownEnvironments(
  db: Executor,
  { workspaceId, projectId }: { readonly workspaceId: string; readonly projectId: string | undefined },
): Promise<{ id: string; key: string }[]> {
  let query = db
    .selectFrom('environments as e')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .select(['e.id', 'e.key'])
    .where('p.workspace_id', '=', workspaceId)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .orderBy('e.key');
  if (projectId !== undefined) query = query.where('p.id', '=', projectId);
  return query.execute();
}

export async function countEnvironments(db: Executor, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('environments')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function lockEnvironment(trx: Executor, id: string): Promise<EnvironmentRow | undefined> {
  return trx
    .selectFrom('environments')
    .select(environmentColumns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Undefined when the key is taken. */
export async function insertEnvironment(
  trx: Executor,
  environment: { id: string; projectId: string; key: string; name: string; requiresApproval: boolean; now: Date },
): Promise<EnvironmentRow | undefined> {
  const { id, projectId, key, name, requiresApproval, now } = environment;
  return trx
    .insertInto('environments')
    .values({
      id,
      project_id: projectId,
      key,
      name,
      requires_approval: requiresApproval,
      created_at: now,
      deleted_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(environmentColumns)
    .executeTakeFirst();
}

export async function updateEnvironment(
  trx: Executor,
  id: string,
  values: { name: string; requires_approval: boolean },
): Promise<void> {
  await trx.updateTable('environments').set(values).where('id', '=', id).execute();
}
