import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import { refuseIdAsKey } from '../../../platform/keys.ts';
import type { Outbox } from '../../../platform/outbox/index.ts';
import { uniqueViolation } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { announceAccessChange } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import { type RemovedPlaces, removeEverythingIn, requireConfirmation } from '../removal/index.ts';
import { createWorkspaceWithDefaults } from './create.ts';
import * as store from './store.ts';

/** How many workspaces one person may own. */
export const maxOwnedWorkspaces = 50;

export type WorkspacesDependencies = FeatureDependencies & {
  readonly outbox: Pick<Outbox, 'wake'>;
  readonly removedPlaces: Pick<RemovedPlaces, 'changed'>;
};

interface Workspace {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly created_at: string;
  readonly role: string;
}

/** Returns one row more than `limit` if there are more. A token sees only its own workspace. */
export async function list(
  { db }: WorkspacesDependencies,
  caller: UserCaller,
  after: string | undefined,
  limit: number,
): Promise<Workspace[]> {
  const only = caller.kind === 'token' ? caller.workspaceId : undefined;
  const rows = await store.listWorkspaces(db, { userId: caller.user.id, only, after, limit: limit + 1 });
  return rows.map(present);
}

export async function create(
  { clock, db, access }: WorkspacesDependencies,
  userId: string,
  input: { name: string; slug?: string | undefined },
  origin: Origin,
) {
  const now = dateOf(clock);
  if (input.slug !== undefined) refuseIdAsKey(input.slug, 'slug');
  const created = await db.transaction().execute(async (trx) => {
    await store.lockUser(trx, userId);
    if ((await store.countOwnedWorkspaces(trx, userId)) >= maxOwnedWorkspaces)
      throw fail('LIMIT_REACHED', { limit: maxOwnedWorkspaces, resource: 'workspaces of one owner' });
    const workspace = await createWorkspaceWithDefaults(trx, { ...input, ownerUserId: userId, now });
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'workspaces.create',
        resource: { type: 'workspace', id: workspace.id, name: workspace.name },
        after: { slug: workspace.slug, name: workspace.name },
      },
      now,
    );
    return workspace;
  });
  access.forget({ userId });
  return present({ ...created, role: 'owner' });
}

export async function update(
  { clock, db, access }: WorkspacesDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  change: { name?: string | undefined; slug?: string | undefined },
  origin: Origin,
): Promise<Workspace> {
  const now = dateOf(clock);
  if (change.slug !== undefined) refuseIdAsKey(change.slug, 'slug');
  const updated = await db
    .transaction()
    .execute(async (trx) => {
      const before = await store.lockWorkspace(trx, workspace.id);
      if (before === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
      const after = { name: change.name ?? before.name, slug: change.slug ?? before.slug };
      const role = (await store.findRoleName(trx, workspace.id, caller.user.id)) ?? '';
      if (isUnchanged({ name: before.name, slug: before.slug }, after)) return { ...before, role };
      await store.updateWorkspace(trx, workspace.id, after);
      await announceAccessChange(trx, { workspaceId: workspace.id });
      await recordAudit(
        trx,
        origin,
        {
          workspaceId: workspace.id,
          action: 'workspaces.update',
          resource: { type: 'workspace', id: workspace.id, name: after.name },
          before: { name: before.name, slug: before.slug },
          after,
        },
        now,
      );
      return { ...before, ...after, role };
    })
    .catch((error: unknown) => {
      if (uniqueViolation(error) !== undefined)
        throw fail('KEY_TAKEN', { resource: 'a workspace', key: change.slug ?? '' });
      throw error;
    });
  access.forget({ workspaceId: workspace.id });
  return present(updated);
}

export async function remove(
  { clock, db, removedPlaces, access, outbox }: WorkspacesDependencies,
  workspace: WorkspaceRef,
  confirm: string | undefined,
  origin: Origin,
): Promise<void> {
  requireConfirmation(confirm, { key: workspace.slug, name: workspace.name });
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    await removeEverythingIn(trx, { workspace }, now);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'workspaces.remove',
        resource: { type: 'workspace', id: workspace.id, name: workspace.name },
        before: { slug: workspace.slug, name: workspace.name },
      },
      now,
    );
  });
  removedPlaces.changed(workspace.number);
  access.forget({ workspaceId: workspace.id });
  outbox.wake();
}

function present(row: store.WorkspaceRow): Workspace {
  const { id, slug, name, role } = row;
  return { id, slug, name, created_at: row.created_at.toISOString(), role };
}
