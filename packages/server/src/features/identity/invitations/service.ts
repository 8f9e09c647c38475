import type { Caller, SessionCaller, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { refusePinned } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { Mailer } from '../../../platform/mail/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { hashSecret, mintOpaque } from '../../../platform/secrets.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { announceAccessChange } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import {
  actingAs,
  type Browser,
  findUser,
  hashPassword,
  insertUser,
  openSession,
  type UserRow,
} from '../auth/index.ts';
import {
  findMemberByEmail,
  findMemberOfUser,
  giverOf,
  heldEverywhere,
  holdRole,
  insertMember,
  lackingFor,
  requireRoom,
} from '../members/index.ts';
import { lockWorkspace } from '../workspaces/index.ts';
import { invitationMail, invitationMs } from './rules.ts';
import * as store from './store.ts';

const maxPendingInvitations = 1_000;

export interface InvitationsDependencies extends FeatureDependencies {
  readonly mailer: Mailer;
}

/** The account that a person who is not signed in creates with a link. */
export interface NewAccount {
  readonly name: string | undefined;
  readonly password: string | undefined;
}

export function list(
  { db }: InvitationsDependencies,
  workspace: WorkspaceRef,
  page: { after: string | undefined; limit: number },
) {
  return store.listInvitations(db, workspace.id, page);
}

/**
 * Invites an address; replaces a pending invitation to it. The link is the secret: only its hash is stored.
 * @param origin address of this server as the invited person reaches it
 */
export async function create(
  { clock, db, mailer, access }: InvitationsDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  input: { email: string; role: string },
  publicOrigin: string,
  origin: Origin,
  /**
   * `members.add`: the account of the address may accept without the link. The answer does not reveal whether there
   * is one.
   */
  action: 'invitations.create' | 'members.add' = 'invitations.create',
): Promise<{ invitation: store.InvitationRow; url: string; mailed: boolean }> {
  refusePinned(caller, 'members:write');
  const everywhere = await heldEverywhere(access, caller, workspace);
  const now = dateOf(clock);
  const id = newId(now.getTime());
  const { secret, hash } = mintOpaque();
  const invitation = await db.transaction().execute(async (trx) => {
    await hold(trx, workspace.id);
    const role = await givenRole(trx, caller, workspace, everywhere, input.role);
    if ((await findMemberByEmail(trx, workspace.id, input.email)) !== undefined)
      throw fail('ALREADY_MEMBER', { email: input.email });
    if ((await store.countPending(trx, workspace.id)) >= maxPendingInvitations)
      throw fail('LIMIT_REACHED', { limit: maxPendingInvitations, resource: 'pending invitations' });
    await store.putInvitation(trx, {
      id,
      workspaceId: workspace.id,
      email: input.email,
      roleId: role.id,
      tokenHash: hash,
      invitedBy: caller.user.id,
      forAccount: action === 'members.add',
      now,
      expiresAt: new Date(now.getTime() + invitationMs),
    });
    const fact = {
      workspaceId: workspace.id,
      action,
      resource: { type: 'invitation', id, name: input.email },
      after: { email: input.email, role: role.name },
    };
    await recordAudit(trx, origin, fact, now);
    const row = await store.findInvitation(trx, workspace.id, id);
    if (row === undefined) throw new Error('an invitation vanished from the transaction that made it');
    return row;
  });
  const url = `${publicOrigin}/invitations/${secret}`;
  const mail = invitationMail({
    to: invitation.email,
    workspace: workspace.name,
    inviter: caller.user.name,
    role: invitation.role.name,
    url,
    expiresAt: invitation.expiresAt,
  });
  return { invitation, url, mailed: (await mailer.send(mail)) === 'sent' };
}

/** Holds a role that the caller may give. */
async function givenRole(
  trx: Executor,
  caller: UserCaller,
  workspace: WorkspaceRef,
  everywhere: Awaited<ReturnType<typeof heldEverywhere>>,
  id: string,
) {
  const role = await holdRole(trx, workspace.id, id);
  if (role === undefined) throw fail('NOT_FOUND', { resource: 'role' });
  const lacking = lackingFor(await giverOf(trx, caller, workspace, everywhere), role);
  if (lacking !== undefined) throw fail('ESCALATION', { permission: lacking });
  return role;
}

export async function remove(
  { db, clock }: InvitationsDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  id: string,
  origin: Origin,
): Promise<void> {
  refusePinned(caller, 'members:write');
  await db.transaction().execute(async (trx) => {
    const removed = isId(id) ? await store.deleteInvitation(trx, workspace.id, id) : undefined;
    if (removed === undefined) throw fail('NOT_FOUND', { resource: 'invitation' });
    const fact = {
      workspaceId: workspace.id,
      action: 'invitations.remove',
      resource: { type: 'invitation', id, name: removed.email },
      before: { email: removed.email },
    };
    await recordAudit(trx, origin, fact, dateOf(clock));
  });
}

export async function read(parts: InvitationsDependencies, token: string) {
  const { db } = parts;

  const invitation = await findOpen(parts, token);
  return { invitation, accountExists: await store.accountExists(db, invitation.email) };
}

/**
 * Accepts an invitation, once. A signed-in person must be the invited one. Anybody else creates an account with a
 * name and a password and is signed in (`session` is then the value of the cookie). A person with an account logs
 * in first, so that a link alone never gives access to one.
 */
export async function accept(
  parts: InvitationsDependencies,
  token: string,
  caller: Caller,
  account: NewAccount,
  browser: Browser,
  origin: Origin,
): Promise<{
  user: UserRow;
  session: string | undefined;
  workspace: Awaited<ReturnType<typeof store.findWorkspace>>;
}> {
  const { clock, db, access } = parts;

  const invitation = await findOpen(parts, token);
  if (caller.kind === 'session' && caller.user.email !== invitation.email) throw fail('INVITATION_FOR_OTHER');
  const passwordHash =
    caller.kind === 'session' ? undefined : await checkNewAccount(parts, token, invitation.email, account);
  const now = dateOf(clock);
  const accepted = await db.transaction().execute(async (trx) => {
    await hold(trx, invitation.workspace_id);
    if (!(await store.takeInvitation(trx, invitation.id, now))) throw fail('INVITATION_NOT_FOUND');
    await requireInviter(trx, invitation);
    const user =
      caller.kind === 'session'
        ? await findUser(trx, caller.user.id)
        : await insertUser(trx, {
            id: newId(now.getTime()),
            email: invitation.email,
            name: account.name ?? '',
            passwordHash: passwordHash ?? null,
            now,
          });
    if (user === undefined) throw fail('EMAIL_TAKEN');
    await join(trx, invitation, user.id, now);
    const session = caller.kind === 'session' ? undefined : await openSession(trx, user.id, browser, now);
    const fact = {
      workspaceId: invitation.workspace_id,
      action: 'invitations.accept',
      resource: { type: 'invitation', id: invitation.id, name: invitation.email },
      after: { member: user.email, role: invitation.role_name },
    };
    await recordAudit(trx, actingAs(origin, user), fact, now);
    return { user, session, workspace: await store.findWorkspace(trx, invitation.workspace_id) };
  });
  access.forget();
  return accepted;
}

export function listOwn(
  { db, clock }: InvitationsDependencies,
  caller: SessionCaller,
  page: { after: string | undefined; limit: number },
) {
  return store.listOwnInvitations(db, caller.user.id, { ...page, now: dateOf(clock) });
}

/** Accepts an invitation that names the account; the session is the proof, so no link is needed. */
export async function acceptOwn(parts: InvitationsDependencies, caller: SessionCaller, id: string, origin: Origin) {
  const { clock, db, access } = parts;

  const invitation = await findOwn(parts, caller, id);
  const now = dateOf(clock);
  const workspace = await db.transaction().execute(async (trx) => {
    await hold(trx, invitation.workspace_id);
    if (!(await store.takeInvitation(trx, invitation.id, now))) throw fail('INVITATION_NOT_FOUND');
    await requireInviter(trx, invitation);
    await join(trx, invitation, caller.user.id, now);
    const fact = {
      workspaceId: invitation.workspace_id,
      action: 'invitations.accept_own',
      resource: { type: 'invitation', id: invitation.id, name: invitation.email },
      after: { member: invitation.email, role: invitation.role_name },
    };
    await recordAudit(trx, origin, fact, now);
    return store.findWorkspace(trx, invitation.workspace_id);
  });
  access.forget({ userId: caller.user.id });
  return workspace;
}

export async function declineOwn(
  parts: InvitationsDependencies,
  caller: SessionCaller,
  id: string,
  origin: Origin,
): Promise<void> {
  const { db, clock } = parts;

  const invitation = await findOwn(parts, caller, id);
  await db.transaction().execute(async (trx) => {
    if ((await store.deleteInvitation(trx, invitation.workspace_id, id)) === undefined)
      throw fail('INVITATION_NOT_FOUND');
    const fact = {
      workspaceId: invitation.workspace_id,
      action: 'invitations.decline_own',
      resource: { type: 'invitation', id, name: invitation.email },
      before: { email: invitation.email, role: invitation.role_name },
    };
    await recordAudit(trx, origin, fact, dateOf(clock));
  });
}

async function findOwn({ clock, db }: InvitationsDependencies, caller: SessionCaller, id: string) {
  const now = dateOf(clock);
  const invitation = isId(id) ? await store.findOwnInvitation(db, caller.user.id, id, now) : undefined;
  if (invitation === undefined) throw fail('INVITATION_NOT_FOUND');
  return invitation;
}

/** A person who was added meanwhile keeps the present role. */
async function join(trx: Executor, invitation: store.OpenInvitation, userId: string, now: Date): Promise<void> {
  if ((await findMemberOfUser(trx, invitation.workspace_id, userId)) !== undefined) return;
  await requireRoom(trx, { id: invitation.workspace_id });
  await insertMember(trx, {
    id: newId(now.getTime()),
    workspaceId: invitation.workspace_id,
    userId,
    roleId: invitation.role_id,
    now,
  });
  await announceAccessChange(trx, { workspaceId: invitation.workspace_id, userId });
}

async function findOpen({ db, clock }: InvitationsDependencies, token: string): Promise<store.OpenInvitation> {
  const invitation = await store.findOpenInvitation(db, hashSecret(token), dateOf(clock));
  if (invitation === undefined) throw fail('INVITATION_NOT_FOUND');
  return invitation;
}

/** The hash of the new account's password. Hashes only for a valid link. */
async function checkNewAccount(
  parts: InvitationsDependencies,
  token: string,
  email: string,
  { name, password }: NewAccount,
): Promise<string> {
  const { db } = parts;

  if (name === undefined || password === undefined)
    throw fail('UNAUTHENTICATED', { reason: 'log in as the invited account, or send a name and a password' });
  if (await store.accountExists(db, email)) {
    // This link may have created the account since it was looked up: then the link is used.
    await findOpen(parts, token);
    throw fail('EMAIL_TAKEN');
  }
  return hashPassword(password);
}

/**
 * An invitation needs its sender's present permissions: if the sender has left, or may no longer give this role, it
 * is void. Grants were checked when it was sent.
 */
async function requireInviter(trx: Executor, invitation: store.OpenInvitation): Promise<void> {
  const inviter =
    invitation.invited_by_id === null
      ? undefined
      : await findMemberOfUser(trx, invitation.workspace_id, invitation.invited_by_id);
  const role = await holdRole(trx, invitation.workspace_id, invitation.role_id);
  if (inviter === undefined || role === undefined) throw fail('INVITATION_NOT_FOUND');
  const held = new Set(inviter.role.permissions);
  const giver = { owner: inviter.role.key === 'owner', permissions: held };
  if (!held.has('members:write') || lackingFor(giver, role) !== undefined) throw fail('INVITATION_NOT_FOUND');
}

/** Serializes changes of a workspace's members. */
async function hold(trx: Executor, workspaceId: string): Promise<void> {
  if ((await lockWorkspace(trx, workspaceId)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
}
