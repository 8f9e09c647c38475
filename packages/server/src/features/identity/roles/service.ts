import { isPermission, type Permission, permissionNames } from '@fanion/contract';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import { uniqueViolation } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { announceAccessChange, missingFrom } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import { lockWorkspace } from '../workspaces/index.ts';
import * as store from './store.ts';

export const maxCustomRoles = 100;

export interface RoleInput {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly Permission[];
}

export async function list(
  { db }: FeatureDependencies,
  workspace: WorkspaceRef,
  after: string | undefined,
  limit: number,
) {
  return (await store.listRoles(db, workspace.id, { after, limit: limit + 1 })).map(present);
}

export async function get({ db }: FeatureDependencies, workspace: WorkspaceRef, id: string) {
  return present(found(isId(id) ? await store.findRole(db, workspace.id, id) : undefined));
}

export async function create(
  parts: FeatureDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  input: RoleInput,
  origin: Origin,
) {
  const { clock, db } = parts;

  refuseEscalation(await mayGive(parts, caller, workspace), input.permissions);
  const now = dateOf(clock);
  const id = newId(now.getTime());
  const row = await db
    .transaction()
    .execute(async (trx) => {
      if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
      if ((await store.countCustomRoles(trx, workspace.id)) >= maxCustomRoles)
        throw fail('LIMIT_REACHED', { limit: maxCustomRoles, resource: 'custom roles' });
      const { name, description } = input;
      const permissions = inOrder(input.permissions);
      await store.insertRole(trx, { id, workspaceId: workspace.id, name, description, permissions, now });
      await recordAudit(
        trx,
        origin,
        {
          workspaceId: workspace.id,
          action: 'roles.create',
          resource: { type: 'role', id, name },
          after: { name, description, permissions },
        },
        now,
      );
      return found(await store.findRole(trx, workspace.id, id));
    })
    .catch(nameTaken(input.name));
  return present(row);
}

export async function update(
  parts: FeatureDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  id: string,
  change: {
    name?: string | undefined;
    description?: string | undefined;
    permissions?: readonly Permission[] | undefined;
    version?: number | undefined;
  },
  origin: Origin,
) {
  const { clock, db, access } = parts;

  // Before the transaction: on PGlite a second connection would wait for its end.
  const giveable = await mayGive(parts, caller, workspace);
  const now = dateOf(clock);
  const row = await db
    .transaction()
    .execute(async (trx) => {
      const before = found(isId(id) ? await store.lockRole(trx, workspace.id, id) : undefined);
      if (before.key !== null) throw fail('ROLE_BUILT_IN', { name: before.name });
      refuseStale(change.version, before.version);
      const permissions = change.permissions ? inOrder(change.permissions) : before.permissions;
      const added = permissions.filter((permission) => !before.permissions.includes(permission));
      refuseEscalation(giveable, added.filter(isPermission));
      const after = {
        name: change.name ?? before.name,
        description: change.description ?? before.description,
        permissions,
      };
      if (isUnchanged({ ...before, ...after }, before)) return before;
      await store.updateRole(trx, id, { ...after, version: before.version + 1, updated_at: now });
      await announceAccessChange(trx, { workspaceId: workspace.id });
      await recordAudit(
        trx,
        origin,
        {
          workspaceId: workspace.id,
          action: 'roles.update',
          resource: { type: 'role', id, name: after.name },
          before: { name: before.name, description: before.description, permissions: before.permissions },
          after,
        },
        now,
      );
      return { ...before, ...after, version: before.version + 1, updated_at: now };
    })
    .catch(nameTaken(change.name ?? ''));
  access.forget({ workspaceId: workspace.id });
  return present(row);
}

export async function remove(
  { clock, db, access }: FeatureDependencies,
  workspace: WorkspaceRef,
  id: string,
  origin: Origin,
): Promise<void> {
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    // Locked for update: giving the role to somebody takes a key share on its row, so it waits and then finds no
    // row.
    const role = found(isId(id) ? await store.lockRole(trx, workspace.id, id) : undefined);
    if (role.key !== null) throw fail('ROLE_BUILT_IN', { name: role.name });
    const count = await store.countUses(trx, id, now);
    if (count > 0) throw fail('ROLE_IN_USE', { name: role.name, count });
    await store.removeRole(trx, id);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'roles.remove',
        resource: { type: 'role', id, name: role.name },
        before: { name: role.name, description: role.description, permissions: role.permissions },
      },
      now,
    );
  });
  access.forget({ workspaceId: workspace.id });
}

/**
 * The permissions that the caller may put into a role. A role applies everywhere, so these are what the caller holds
 * everywhere: a permission that a grant takes away in one project cannot be regained through a second account.
 */
async function mayGive(
  { access }: FeatureDependencies,
  caller: UserCaller,
  workspace: WorkspaceRef,
): Promise<ReadonlySet<Permission>> {
  return (await access.scope(caller, { workspace: workspace.id })).permissionsBelow;
}

function nameTaken(name: string) {
  return (error: unknown) => {
    if (uniqueViolation(error) !== undefined) throw fail('KEY_TAKEN', { resource: 'a role', key: name });
    throw error;
  };
}

function refuseEscalation(held: ReadonlySet<Permission>, wanted: readonly Permission[]): void {
  const missing = missingFrom(held, wanted);
  if (missing !== undefined) throw fail('ESCALATION', { permission: missing });
}

function found(role: store.RoleRow | undefined): store.RoleRow {
  if (role === undefined) throw fail('NOT_FOUND', { resource: 'role' });
  return role;
}

/** Without duplicates, in the order of the registry, so that equal roles look the same. */
function inOrder(permissions: readonly Permission[]): Permission[] {
  return permissionNames.filter((permission) => permissions.includes(permission));
}

function present(row: store.RoleRow) {
  return {
    ...row,
    permissions: row.permissions.filter(isPermission),
    built_in: row.key !== null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
