import { sql } from 'kysely';
import { isId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { PlacedRole, RoleFact } from './rules.ts';

export interface MemberRow {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly role: RoleFact;
  readonly grantsVersion: number;
}

function members(db: Executor, workspaceId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('roles as r', 'r.id', 'm.role_id')
    .select([
      'm.id',
      'm.user_id',
      'm.created_at',
      'm.grants_version',
      'u.email',
      'u.name',
      'r.id as role_id',
      'r.key as role_key',
      'r.name as role_name',
      'r.permissions as role_permissions',
    ])
    .where('m.workspace_id', '=', workspaceId);
}

function memberOf(row: Awaited<ReturnType<ReturnType<typeof members>['executeTakeFirstOrThrow']>>): MemberRow {
  return {
    id: row.id,
    userId: row.user_id,
    email: row.email,
    name: row.name,
    createdAt: row.created_at,
    role: { id: row.role_id, key: row.role_key, name: row.role_name, permissions: row.role_permissions },
    grantsVersion: row.grants_version,
  };
}

/** In the order of their ids, that is of joining. `search` matches names and addresses, whatever its case. */
export async function listMembers(
  db: Executor,
  workspaceId: string,
  { search, after, limit }: { search: string | undefined; after: string | undefined; limit: number },
): Promise<MemberRow[]> {
  let query = members(db, workspaceId).orderBy('m.id').limit(limit);
  if (after !== undefined) query = query.where('m.id', '>', after);
  // PostgreSQL rejects a NUL in a text, and no name has one.
  if (search?.includes('\0')) return [];
  if (search !== undefined && search !== '') {
    const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where((eb) => eb.or([eb('u.name', 'ilike', pattern), eb('u.email', 'ilike', pattern)]));
  }
  return (await query.execute()).map(memberOf);
}

export async function findMember(db: Executor, workspaceId: string, id: string): Promise<MemberRow | undefined> {
  const row = isId(id) ? await members(db, workspaceId).where('m.id', '=', id).executeTakeFirst() : undefined;
  return row && memberOf(row);
}

export async function findMemberOfUser(
  db: Executor,
  workspaceId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  const row = await members(db, workspaceId).where('m.user_id', '=', userId).executeTakeFirst();
  return row && memberOf(row);
}

export async function findMemberByEmail(
  db: Executor,
  workspaceId: string,
  email: string,
): Promise<MemberRow | undefined> {
  const row = await members(db, workspaceId).where('u.email', '=', email).executeTakeFirst();
  return row && memberOf(row);
}

/**
 * An account that shares any workspace with a user. Undefined for any other address, after the same time, whether or
 * not it has an account.
 */
export async function findColleague(db: Executor, userId: string, email: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('users as u')
    .select('u.id')
    .where('u.email', '=', email)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('members as theirs')
          .innerJoin('members as mine', 'mine.workspace_id', 'theirs.workspace_id')
          .innerJoin('workspaces as w', 'w.id', 'theirs.workspace_id')
          .select('theirs.id')
          .whereRef('theirs.user_id', '=', 'u.id')
          .where('mine.user_id', '=', userId)
          .where('w.deleted_at', 'is', null),
      ),
    )
    .executeTakeFirst();
}

/**
 * A role by its id or built-in key, locked until the transaction ends: nobody can remove it between the look-up and its
 * use.
 */
export async function holdRole(trx: Executor, workspaceId: string, ref: string): Promise<RoleFact | undefined> {
  if (ref.includes('\0')) return undefined;
  return trx
    .selectFrom('roles')
    .select(['id', 'key', 'name', 'permissions'])
    .where('workspace_id', '=', workspaceId)
    .where(isId(ref) ? 'id' : 'key', '=', ref)
    .forKeyShare()
    .executeTakeFirst();
}

/** As `holdRole`, by what people write in a configuration: a built-in key, or the name of a custom role in any case. */
export async function holdRoleByName(trx: Executor, workspaceId: string, name: string): Promise<RoleFact | undefined> {
  return trx
    .selectFrom('roles')
    .select(['id', 'key', 'name', 'permissions'])
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('key', '=', name), eb(sql`lower(name)`, '=', name.toLowerCase())]))
    .orderBy('key')
    .limit(1)
    .forKeyShare()
    .executeTakeFirst();
}

export async function countMembers(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Reliable only while the workspace is locked. */
export async function countOwners(trx: Executor, workspaceId: string): Promise<number> {
  const row = await trx
    .selectFrom('members as m')
    .innerJoin('roles as r', 'r.id', 'm.role_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('m.workspace_id', '=', workspaceId)
    .where('r.key', '=', 'owner')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function insertMember(
  trx: Executor,
  member: { id: string; workspaceId: string; userId: string; roleId: string; now: Date },
): Promise<void> {
  await trx
    .insertInto('members')
    .values({
      id: member.id,
      workspace_id: member.workspaceId,
      user_id: member.userId,
      role_id: member.roleId,
      created_at: member.now,
    })
    .execute();
}

export async function setMemberRole(trx: Executor, id: string, roleId: string): Promise<void> {
  await trx.updateTable('members').set({ role_id: roleId }).where('id', '=', id).execute();
}

/**
 * Removes a member with its grants, its tokens, and the unused invitations that it sent. The tokens are revoked, so
 * that they stay invalid if the person is added again.
 */
export async function deleteMember(trx: Executor, workspaceId: string, member: MemberRow, now: Date): Promise<void> {
  await trx
    .updateTable('api_tokens')
    .set({ revoked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', member.userId)
    .where('revoked_at', 'is', null)
    .execute();
  await trx
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('invited_by', '=', member.userId)
    .where('accepted_at', 'is', null)
    .execute();
  await trx.deleteFrom('members').where('id', '=', member.id).execute();
}

export interface GrantRow extends PlacedRole {
  readonly project: string;
  readonly environment: string | null;
}

/** Ordered by project and environment key; a project's own grants come before those of its environments. */
export async function findGrants(db: Executor, memberId: string): Promise<GrantRow[]> {
  const rows = await db
    .selectFrom('grants as g')
    .innerJoin('projects as p', 'p.id', 'g.project_id')
    .leftJoin('environments as e', 'e.id', 'g.environment_id')
    .innerJoin('roles as r', 'r.id', 'g.role_id')
    .select([
      'p.id as project_id',
      'p.key as project',
      'e.id as environment_id',
      'e.key as environment',
      'r.id as role_id',
      'r.key as role_key',
      'r.name as role_name',
      'r.permissions as role_permissions',
    ])
    .where('g.member_id', '=', memberId)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .orderBy('p.key')
    .orderBy('e.key', (order) => order.asc().nullsFirst())
    .execute();
  return rows.map((row) => ({
    projectId: row.project_id,
    environmentId: row.environment_id,
    project: row.project,
    environment: row.environment,
    role: { id: row.role_id, key: row.role_key, name: row.role_name, permissions: row.role_permissions },
  }));
}

/** Writes the next version of a member's grants. */
export async function replaceGrants(
  trx: Executor,
  memberId: string,
  grants: readonly { projectId: string; environmentId: string | null; roleId: string }[],
): Promise<void> {
  await trx
    .updateTable('members')
    .set(({ eb }) => ({ grants_version: eb('grants_version', '+', 1) }))
    .where('id', '=', memberId)
    .execute();
  await trx.deleteFrom('grants').where('member_id', '=', memberId).execute();
  if (grants.length === 0) return;
  await trx
    .insertInto('grants')
    .values(
      grants.map(({ projectId, environmentId, roleId }) => ({
        member_id: memberId,
        project_id: projectId,
        environment_id: environmentId,
        role_id: roleId,
      })),
    )
    .execute();
}
