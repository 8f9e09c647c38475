import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { lockWorkspace } from '../workspaces/index.ts';
import type { RoleFact } from './rules.ts';
import * as store from './store.ts';

export const maxMembers = 5_000;

/** Serializes changes of a workspace's memberships, so that counts stay true until the transaction ends. */
export async function hold(trx: Executor, workspace: { id: string }): Promise<void> {
  found(await lockWorkspace(trx, workspace.id), 'workspace');
}

/** Throws `LIMIT_REACHED` for a full workspace. The workspace must be locked. */
export async function requireRoom(trx: Executor, workspace: { id: string }): Promise<void> {
  if ((await store.countMembers(trx, workspace.id)) >= maxMembers)
    throw fail('LIMIT_REACHED', { limit: maxMembers, resource: 'members' });
}

/** Throws `LAST_OWNER` if this role belongs to the only owner. The workspace must be locked. */
export async function keepAnOwner(trx: Executor, workspace: { id: string }, role: RoleFact): Promise<void> {
  if (role.key === 'owner' && (await store.countOwners(trx, workspace.id)) <= 1) throw fail('LAST_OWNER');
}

/** Throws `ESCALATION` if a permission is lacking. */
export function refuse(lacking: string | undefined): void {
  if (lacking !== undefined) throw fail('ESCALATION', { permission: lacking });
}

/** Throws `NOT_FOUND` for undefined. */
export function found<T>(row: T | undefined, resource: string): T {
  if (row === undefined) throw fail('NOT_FOUND', { resource });
  return row;
}
