import type { Insertable } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { ControlPlane } from '../../../platform/postgres/schema.ts';

type New<Table extends keyof ControlPlane> = Insertable<ControlPlane[Table]>;

export interface WorkspaceRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly created_at: Date;
  readonly role: string;
}

/** A member's workspaces by id, with the name of the role there: `owner` …, or that of a custom role. */
export async function listWorkspaces(
  db: Executor,
  {
    userId,
    only,
    after,
    limit,
  }: { userId: string; only: string | undefined; after: string | undefined; limit: number },
): Promise<WorkspaceRow[]> {
  let query = db
    .selectFrom('workspaces as w')
    .innerJoin('members as m', 'm.workspace_id', 'w.id')
    .innerJoin('roles as r', 'r.id', 'm.role_id')
    .select(({ fn }) => ['w.id', 'w.slug', 'w.name', 'w.created_at', fn.coalesce('r.key', 'r.name').as('role')])
    .where('m.user_id', '=', userId)
    .where('w.deleted_at', 'is', null)
    .orderBy('w.id')
    .limit(limit);
  if (only !== undefined) query = query.where('w.id', '=', only);
  if (after !== undefined) query = query.where('w.id', '>', after);
  return query.execute();
}

/**
 * Locks a workspace until the transaction ends: requests that create something in it wait, so that limits can be
 * counted, and it cannot be removed meanwhile. Undefined: it was removed.
 */
export async function lockWorkspace(
  trx: Executor,
  id: string,
): Promise<{ id: string; slug: string; name: string; created_at: Date } | undefined> {
  return trx
    .selectFrom('workspaces')
    .select(['id', 'slug', 'name', 'created_at'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Locks an account, so that its workspaces can be counted. */
export async function lockUser(trx: Executor, id: string): Promise<void> {
  await trx.selectFrom('users').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

export async function countOwnedWorkspaces(db: Executor, userId: string): Promise<number> {
  const row = await db
    .selectFrom('workspaces as w')
    .innerJoin('members as m', 'm.workspace_id', 'w.id')
    .innerJoin('roles as r', 'r.id', 'm.role_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('m.user_id', '=', userId)
    .where('r.key', '=', 'owner')
    .where('w.deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function updateWorkspace(
  trx: Executor,
  id: string,
  values: { name: string; slug: string },
): Promise<void> {
  await trx.updateTable('workspaces').set(values).where('id', '=', id).execute();
}

/** Name of the caller's role, as `listWorkspaces` returns it. */
export async function findRoleName(db: Executor, workspaceId: string, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('members as m')
    .innerJoin('roles as r', 'r.id', 'm.role_id')
    .select(({ fn }) => fn.coalesce('r.key', 'r.name').as('role'))
    .where('m.workspace_id', '=', workspaceId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst();
  return row?.role;
}

export interface CreatedWorkspace {
  readonly id: string;
  readonly number: number;
  readonly slug: string;
  readonly name: string;
  readonly created_at: Date;
}

/** undefined when the slug is taken: an error for the conflict would end the transaction. */
export async function insertWorkspace(
  trx: Executor,
  workspace: New<'workspaces'>,
): Promise<CreatedWorkspace | undefined> {
  return trx
    .insertInto('workspaces')
    .values(workspace)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'number', 'slug', 'name', 'created_at'])
    .executeTakeFirst();
}

export async function insertRoles(trx: Executor, roles: New<'roles'>[]): Promise<void> {
  await trx.insertInto('roles').values(roles).execute();
}

export async function insertOwner(trx: Executor, member: New<'members'>): Promise<void> {
  await trx.insertInto('members').values(member).execute();
}

/** undefined when the key is taken. */
export async function insertProject(
  trx: Executor,
  project: New<'projects'>,
): Promise<{ id: string; number: number; key: string; name: string; created_at: Date } | undefined> {
  return trx
    .insertInto('projects')
    .values(project)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'number', 'key', 'name', 'created_at'])
    .executeTakeFirst();
}

export async function insertEnvironments(trx: Executor, environments: New<'environments'>[]): Promise<void> {
  await trx.insertInto('environments').values(environments).execute();
}
