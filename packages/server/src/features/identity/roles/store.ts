import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';

export interface RoleRow {
  readonly id: string;
  readonly key: string | null;
  readonly name: string;
  readonly description: string;
  readonly permissions: string[];
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly members: number;
}

function roles(db: Executor, workspaceId: string) {
  return db
    .selectFrom('roles as r')
    .select((eb) => [
      'r.id',
      'r.key',
      'r.name',
      'r.description',
      'r.permissions',
      'r.version',
      'r.created_at',
      'r.updated_at',
      eb
        .selectFrom('members as m')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('m.role_id', '=', 'r.id')
        .$asScalar()
        .$notNull()
        .as('members'),
    ])
    .where('r.workspace_id', '=', workspaceId);
}

/** Ordered by id, which puts the built-in roles first. */
export async function listRoles(
  db: Executor,
  workspaceId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<RoleRow[]> {
  let query = roles(db, workspaceId).orderBy('r.id').limit(limit);
  if (after !== undefined) query = query.where('r.id', '>', after);
  return query.execute();
}

export async function findRole(db: Executor, workspaceId: string, id: string): Promise<RoleRow | undefined> {
  return roles(db, workspaceId).where('r.id', '=', id).executeTakeFirst();
}

/** Locks a role until the transaction ends: nobody else can change it, or give it while it is being removed. */
export async function lockRole(trx: Executor, workspaceId: string, id: string): Promise<RoleRow | undefined> {
  await trx
    .selectFrom('roles')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return findRole(trx, workspaceId, id);
}

export async function countCustomRoles(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('roles')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('key', 'is', null)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function insertRole(
  trx: Executor,
  role: { id: string; workspaceId: string; name: string; description: string; permissions: string[]; now: Date },
): Promise<void> {
  await trx
    .insertInto('roles')
    .values({
      id: role.id,
      workspace_id: role.workspaceId,
      key: null,
      name: role.name,
      description: role.description,
      permissions: role.permissions,
      created_at: role.now,
      updated_at: role.now,
    })
    .execute();
}

export async function updateRole(
  trx: Executor,
  id: string,
  values: { name: string; description: string; permissions: string[]; version: number; updated_at: Date },
): Promise<void> {
  await trx.updateTable('roles').set(values).where('id', '=', id).execute();
}

/** Members, grants and open invitations that have the role. */
export async function countUses(db: Executor, id: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT ((SELECT count(*) FROM members WHERE role_id = ${id}) + (SELECT count(*) FROM grants WHERE role_id = ${id})
      + (SELECT count(*) FROM invitations WHERE role_id = ${id} AND accepted_at IS NULL AND expires_at > ${now}))::int AS count`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Removes the role and its expired invitations. */
export async function removeRole(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('invitations').where('role_id', '=', id).execute();
  await trx.deleteFrom('roles').where('id', '=', id).execute();
}
