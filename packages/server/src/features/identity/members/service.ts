import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { refusePinned } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { announceAccessChange } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import { giverOf, heldEverywhere } from './giving.ts';
import { found, hold, keepAnOwner, refuse, requireRoom } from './guards.ts';
import { lackingFor } from './rules.ts';
import * as store from './store.ts';

export function list(
  { db }: FeatureDependencies,
  workspace: WorkspaceRef,
  query: { search: string | undefined; after: string | undefined; limit: number },
) {
  return store.listMembers(db, workspace.id, query);
}

/**
 * Adds a colleague, or gives another role to a member. Undefined: the caller shares no workspace with this account.
 */
export async function add(
  { access, clock, db }: FeatureDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  input: { email: string; role: string },
  origin: Origin,
): Promise<store.MemberRow | undefined> {
  refusePinned(caller, 'members:write');
  const everywhere = await heldEverywhere(access, caller, workspace);
  const now = dateOf(clock);
  const member = await db.transaction().execute(async (trx) => {
    await hold(trx, workspace);
    const role = found(await store.holdRole(trx, workspace.id, input.role), 'role');
    const giver = await giverOf(trx, caller, workspace, everywhere);
    refuse(lackingFor(giver, role));
    const account = await store.findColleague(trx, caller.user.id, input.email);
    if (account === undefined) return undefined;
    const before = await store.findMemberOfUser(trx, workspace.id, account.id);
    if (before === undefined) {
      await requireRoom(trx, workspace);
      await store.insertMember(trx, {
        id: newId(now.getTime()),
        workspaceId: workspace.id,
        userId: account.id,
        roleId: role.id,
        now,
      });
    } else if (before.role.id !== role.id) {
      if (account.id !== caller.user.id) refuse(lackingFor(giver, before.role));
      await keepAnOwner(trx, workspace, before.role);
      await store.setMemberRole(trx, before.id, role.id);
    }
    await announceAccessChange(trx, { workspaceId: workspace.id, userId: account.id });
    const after = found(await store.findMemberOfUser(trx, workspace.id, account.id), 'member');
    const fact = {
      workspaceId: workspace.id,
      action: 'members.add',
      resource: { type: 'member', id: after.id, name: after.email },
      before: before && { role: before.role.name },
      after: { role: role.name },
    };
    await recordAudit(trx, origin, fact, now);
    return after;
  });
  access.forget({ workspaceId: workspace.id });
  return member;
}

/**
 * Removes a member. Callers may always remove themselves, and others only if they could give those the same role.
 */
export async function remove(
  { access, clock, db }: FeatureDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  id: string,
  origin: Origin,
): Promise<void> {
  refusePinned(caller, 'members:write');
  const everywhere = await heldEverywhere(access, caller, workspace);
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    await hold(trx, workspace);
    const member = found(await store.findMember(trx, workspace.id, id), 'member');
    if (member.userId !== caller.user.id)
      refuse(lackingFor(await giverOf(trx, caller, workspace, everywhere), member.role));
    await keepAnOwner(trx, workspace, member.role);
    await store.deleteMember(trx, workspace.id, member, now);
    await announceAccessChange(trx, { workspaceId: workspace.id, userId: member.userId });
    const fact = {
      workspaceId: workspace.id,
      action: 'members.remove',
      resource: { type: 'member', id: member.id, name: member.email },
      before: { email: member.email, role: member.role.name },
    };
    await recordAudit(trx, origin, fact, now);
  });
  access.forget({ workspaceId: workspace.id });
}

/**
 * Adds or changes a member as an identity provider says, within the caller's transaction. The last owner remains owner.
 * Returns the change, or undefined when nothing changed.
 */
export async function assignRole(
  trx: Executor,
  input: { workspaceId: string; userId: string; roleId: string; keepExisting: boolean; now: Date },
): Promise<'added' | 'changed' | undefined> {
  const { workspaceId, userId, roleId, now } = input;
  await hold(trx, { id: workspaceId });
  const member = await store.findMemberOfUser(trx, workspaceId, userId);
  if (member === undefined) {
    await requireRoom(trx, { id: workspaceId });
    await store.insertMember(trx, { id: newId(now.getTime()), workspaceId, userId, roleId, now });
    await announceAccessChange(trx, { workspaceId, userId });
    return 'added';
  }
  if (input.keepExisting || member.role.id === roleId) return undefined;
  if (member.role.key === 'owner' && (await store.countOwners(trx, workspaceId)) <= 1) return undefined;
  await store.setMemberRole(trx, member.id, roleId);
  await announceAccessChange(trx, { workspaceId, userId });
  return 'changed';
}
