import type { Executor } from '../../../platform/postgres/database.ts';

export interface InvitationRow {
  readonly id: string;
  readonly email: string;
  readonly role: { readonly id: string; readonly key: string | null; readonly name: string };
  /** Name of the sender; null: the account was deleted. */
  readonly invitedBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly acceptedAt: Date | null;
}

function invitations(db: Executor) {
  return db
    .selectFrom('invitations as i')
    .innerJoin('roles as r', 'r.id', 'i.role_id')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .select([
      'i.id',
      'i.email',
      'i.created_at',
      'i.expires_at',
      'i.accepted_at',
      'u.name as invited_by',
      'r.id as role_id',
      'r.key as role_key',
      'r.name as role_name',
    ]);
}

function invitationOf(row: Awaited<ReturnType<ReturnType<typeof invitations>['executeTakeFirstOrThrow']>>) {
  return {
    id: row.id,
    email: row.email,
    role: { id: row.role_id, key: row.role_key, name: row.role_name },
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acceptedAt: row.accepted_at,
  } satisfies InvitationRow;
}

export async function listInvitations(
  db: Executor,
  workspaceId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<InvitationRow[]> {
  let query = invitations(db).where('i.workspace_id', '=', workspaceId).orderBy('i.id').limit(limit);
  if (after !== undefined) query = query.where('i.id', '>', after);
  return (await query.execute()).map(invitationOf);
}

export async function findInvitation(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<InvitationRow | undefined> {
  const row = await invitations(db).where('i.workspace_id', '=', workspaceId).where('i.id', '=', id).executeTakeFirst();
  return row && invitationOf(row);
}

/** The invitation of a link and its workspace, while it can be accepted. */
export async function findOpenInvitation(db: Executor, tokenHash: Buffer, now: Date) {
  return invitations(db)
    .innerJoin('workspaces as w', 'w.id', 'i.workspace_id')
    .select(['w.id as workspace_id', 'w.name as workspace_name', 'i.invited_by as invited_by_id'])
    .where('i.token_hash', '=', tokenHash)
    .where('i.accepted_at', 'is', null)
    .where('i.expires_at', '>', now)
    .where('w.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** The invitations that an account may accept without a link. */
function ownInvitations(db: Executor, userId: string, now: Date) {
  return invitations(db)
    .innerJoin('workspaces as w', 'w.id', 'i.workspace_id')
    .select([
      'w.id as workspace_id',
      'w.name as workspace_name',
      'w.slug as workspace_slug',
      'i.invited_by as invited_by_id',
    ])
    .where('i.user_id', '=', userId)
    .where('i.accepted_at', 'is', null)
    .where('i.expires_at', '>', now)
    .where('w.deleted_at', 'is', null);
}

export async function listOwnInvitations(
  db: Executor,
  userId: string,
  { now, after, limit }: { now: Date; after: string | undefined; limit: number },
) {
  let query = ownInvitations(db, userId, now).orderBy('i.id').limit(limit);
  if (after !== undefined) query = query.where('i.id', '>', after);
  return query.execute();
}

export async function findOwnInvitation(db: Executor, userId: string, id: string, now: Date) {
  return ownInvitations(db, userId, now).where('i.id', '=', id).executeTakeFirst();
}
export type OpenInvitation = NonNullable<Awaited<ReturnType<typeof findOpenInvitation>>>;

/** Pending ones, expired or not. */
export async function countPending(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('invitations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('accepted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Replaces one that is still pending for the address: its link stops working. */
export async function putInvitation(
  trx: Executor,
  invitation: {
    id: string;
    workspaceId: string;
    email: string;
    roleId: string;
    tokenHash: Buffer;
    invitedBy: string;
    /** The account of the address, if there is one, may accept it without the link. */
    forAccount: boolean;
    now: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await trx
    .deleteFrom('invitations')
    .where('workspace_id', '=', invitation.workspaceId)
    .where('email', '=', invitation.email)
    .where('accepted_at', 'is', null)
    .execute();
  await trx
    .insertInto('invitations')
    .values({
      id: invitation.id,
      workspace_id: invitation.workspaceId,
      email: invitation.email,
      role_id: invitation.roleId,
      token_hash: invitation.tokenHash,
      invited_by: invitation.invitedBy,
      user_id: invitation.forAccount
        ? (eb) => eb.selectFrom('users').select('id').where('email', '=', invitation.email)
        : null,
      created_at: invitation.now,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

export async function deleteInvitation(
  trx: Executor,
  workspaceId: string,
  id: string,
): Promise<{ email: string } | undefined> {
  return trx
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning('email')
    .executeTakeFirst();
}

/** Uses an invitation once: of many simultaneous calls, one gets true. */
export async function takeInvitation(trx: Executor, id: string, now: Date): Promise<boolean> {
  const row = await trx
    .updateTable('invitations')
    .set({ accepted_at: now })
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function accountExists(db: Executor, email: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  return row !== undefined;
}

export async function findWorkspace(db: Executor, id: string) {
  return db
    .selectFrom('workspaces')
    .select(['id', 'slug', 'name', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}
