import { sql } from 'kysely';
import type { CallerUser, EnvironmentRef, ProjectRef, WorkspaceRef } from '../../../http/caller.ts';
import { isId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { GrantFact } from './rules.ts';

export interface SessionRow {
  readonly user: CallerUser;
  readonly createdAt: Date;
  lastSeenAt: Date;
  readonly expiresAt: Date;
}

export async function findSession(db: Executor, idHash: Buffer): Promise<SessionRow | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'sessions.created_at',
      'sessions.last_seen_at',
      'sessions.expires_at',
    ])
    .where('sessions.id_hash', '=', idHash)
    .executeTakeFirst();
  return (
    row && {
      user: { id: row.id, email: row.email, name: row.name },
      createdAt: row.created_at,
      lastSeenAt: row.last_seen_at,
      expiresAt: row.expires_at,
    }
  );
}

export async function touchSession(db: Executor, idHash: Buffer, now: Date): Promise<void> {
  await db.updateTable('sessions').set({ last_seen_at: now }).where('id_hash', '=', idHash).execute();
}

/** An API token that is neither revoked nor orphaned; its expiry is for the caller to judge. */
export async function findApiToken(db: Executor, secretHash: Buffer) {
  return db
    .selectFrom('api_tokens as t')
    .innerJoin('users as u', 'u.id', 't.user_id')
    .innerJoin('workspaces as w', 'w.id', 't.workspace_id')
    .innerJoin('members as m', (join) =>
      join.onRef('m.workspace_id', '=', 't.workspace_id').onRef('m.user_id', '=', 't.user_id'),
    )
    .leftJoin('projects as p', 'p.id', 't.project_id')
    .leftJoin('environments as e', 'e.id', 't.environment_id')
    .select([
      't.id',
      't.name',
      't.permissions',
      't.expires_at',
      't.last_used_at',
      't.workspace_id',
      't.project_id',
      't.environment_id',
      'u.id as user_id',
      'u.email as user_email',
      'u.name as user_name',
      'w.number as workspace_number',
      'p.number as project_number',
      'e.key as environment_key',
    ])
    .where('t.secret_hash', '=', secretHash)
    .where('t.revoked_at', 'is', null)
    .where('w.deleted_at', 'is', null)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .executeTakeFirst();
}
export type ApiTokenRow = NonNullable<Awaited<ReturnType<typeof findApiToken>>>;

export async function findSdkKey(db: Executor, secretHash: Buffer) {
  return db
    .selectFrom('sdk_keys as k')
    .innerJoin('workspaces as w', 'w.id', 'k.workspace_id')
    .innerJoin('projects as p', 'p.id', 'k.project_id')
    .innerJoin('environments as e', 'e.id', 'k.environment_id')
    .select([
      'k.id',
      'k.kind',
      'k.allowed_origins',
      'k.payload_key',
      'k.workspace_id',
      'k.project_id',
      'k.environment_id',
      'k.last_used_at',
      'w.number as workspace_number',
      'p.number as project_number',
      'e.key as environment_key',
    ])
    .where('k.secret_hash', '=', secretHash)
    .where('k.revoked_at', 'is', null)
    .where('w.deleted_at', 'is', null)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .executeTakeFirst();
}
export type SdkKeyRow = NonNullable<Awaited<ReturnType<typeof findSdkKey>>>;

export async function touchTokens(
  db: Executor,
  table: 'api_tokens' | 'sdk_keys',
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await db.updateTable(table).set({ last_used_at: now }).where('id', 'in', ids).execute();
}

export interface MembershipRow {
  readonly workspace: WorkspaceRef;
  readonly memberId: string;
  readonly permissions: string[];
}

/** Of somebody who has to choose between workspaces, so many are named. */
export const maxMembershipsNamed = 10;

/** The workspaces that a user is a member of: the first ones by name, or the one with this id or slug. */
export async function findMemberships(
  db: Executor,
  userId: string,
  workspace: string | undefined,
): Promise<MembershipRow[]> {
  let query = db
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .innerJoin('roles as r', 'r.id', 'm.role_id')
    .select(['w.id', 'w.number', 'w.slug', 'w.name', 'm.id as member_id', 'r.permissions'])
    .where('m.user_id', '=', userId)
    .where('w.deleted_at', 'is', null)
    .orderBy('w.name')
    .orderBy('w.id')
    .limit(maxMembershipsNamed + 1);
  if (workspace !== undefined)
    query = isId(workspace) ? query.where('w.id', '=', workspace) : query.where('w.slug', '=', workspace);
  const rows = await query.execute();
  return rows.map((row) => ({
    workspace: { id: row.id, number: row.number, slug: row.slug, name: row.name },
    memberId: row.member_id,
    permissions: row.permissions,
  }));
}

export async function findGrants(db: Executor, memberId: string): Promise<GrantFact[]> {
  const rows = await db
    .selectFrom('grants as g')
    .innerJoin('roles as r', 'r.id', 'g.role_id')
    .select(['g.project_id', 'g.environment_id', 'r.permissions'])
    .where('g.member_id', '=', memberId)
    .execute();
  return rows.map((row) => ({
    projectId: row.project_id,
    environmentId: row.environment_id,
    permissions: row.permissions,
  }));
}

export async function findProject(db: Executor, workspaceId: string, idOrKey: string): Promise<ProjectRef | undefined> {
  return db
    .selectFrom('projects')
    .select(['id', 'number', 'key', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where(isId(idOrKey) ? 'id' : 'key', '=', idOrKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export async function findEnvironment(
  db: Executor,
  projectId: string,
  idOrKey: string,
): Promise<EnvironmentRef | undefined> {
  return db
    .selectFrom('environments')
    .select(['id', 'key', 'name', sql<boolean>`requires_approval`.as('requiresApproval')])
    .where('project_id', '=', projectId)
    .where(isId(idOrKey) ? 'id' : 'key', '=', idOrKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** An environment by id alone, with the project that it belongs to. */
export async function findEnvironmentOfWorkspace(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<{ readonly project: ProjectRef; readonly environment: EnvironmentRef } | undefined> {
  const owner = await db
    .selectFrom('environments as e')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .select('p.id')
    .where('p.workspace_id', '=', workspaceId)
    .where('e.id', '=', id)
    .executeTakeFirst();
  if (owner === undefined) return undefined;
  const project = await findProject(db, workspaceId, owner.id);
  const environment = project && (await findEnvironment(db, project.id, id));
  return environment && { project, environment };
}

export async function listProjectIds(db: Executor, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}
