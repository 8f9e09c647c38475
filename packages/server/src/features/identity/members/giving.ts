import type { Permission } from '@fanion/contract';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { AccessFeature } from '../access/index.ts';
import type { Giver } from './rules.ts';
import * as store from './store.ts';

/** The caller's permissions in every project and environment of the workspace. Call outside of transactions. */
export async function heldEverywhere(
  access: AccessFeature,
  caller: UserCaller,
  workspace: WorkspaceRef,
): Promise<ReadonlySet<Permission>> {
  return (await access.scope(caller, { workspace: workspace.id })).permissionsBelow;
}

/**
 * What the caller may give to others: the same within a locked workspace, so that a role that the caller has lost
 * meanwhile gives nothing.
 */
export async function giverOf(
  trx: Executor,
  caller: UserCaller,
  workspace: WorkspaceRef,
  everywhere: ReadonlySet<Permission>,
): Promise<Giver> {
  const member = await store.findMemberOfUser(trx, workspace.id, caller.user.id);
  const now = new Set<string>(member?.role.permissions);
  return {
    owner: member?.role.key === 'owner',
    permissions: new Set([...everywhere].filter((permission) => now.has(permission))),
  };
}
