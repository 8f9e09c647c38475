import { randomBytes } from 'node:crypto';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { pinOf, refuseEnvironmentPin, refusePinned } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import { refuseIdAsKey, withFreeKey } from '../../../platform/keys.ts';
import type { Outbox } from '../../../platform/outbox/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { announceAccessChange } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import { type RemovedPlaces, removeEverythingIn, requireConfirmation } from '../removal/index.ts';
import { createProjectWithDefaults, lockWorkspace, slugOf } from '../workspaces/index.ts';
import type { ProjectRetention } from './retention.ts';
import { changeRetention, chosenRetention } from './retention-rules.ts';
import { maxProjects } from './rules.ts';
import * as store from './store.ts';
import type { Signal } from './telemetry-rules.ts';

export type ControlDependencies = FeatureDependencies & {
  readonly outbox: Pick<Outbox, 'wake'>;
  readonly removedPlaces: Pick<RemovedPlaces, 'changed'>;
};
export type ProjectDependencies = ControlDependencies & {
  readonly retention: Pick<ProjectRetention, 'classes' | 'forget'>;
};

/** Returns one row more than `limit` if there are more. */
export async function list(
  parts: ProjectDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  options: { search: string | undefined; after: string | undefined; limit: number },
) {
  const only = pinOf(caller)?.projectId;
  const rows = await store.listProjects(parts.db, workspace.id, { ...options, only, limit: options.limit + 1 });
  return rows.map((row) => present(parts, row));
}

/** Derives the key from the name if none is given. A given key that is taken is `KEY_TAKEN`. */
export async function create(
  parts: ProjectDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  { name, key }: { name: string; key?: string | undefined },
  origin: Origin,
) {
  const { clock, db, access } = parts;

  refusePinned(caller, 'projects:write');
  if (key !== undefined) refuseIdAsKey(key, 'key');
  const now = dateOf(clock);
  const created = await db.transaction().execute(async (trx) => {
    if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
    if ((await store.countProjects(trx, workspace.id)) >= maxProjects)
      throw fail('LIMIT_REACHED', { limit: maxProjects, resource: 'projects' });
    const insert = (free: string) =>
      createProjectWithDefaults(trx, { workspaceId: workspace.id, key: free, name, now });
    const project =
      key === undefined
        ? await withFreeKey(slugOf(name, 'project'), () => randomBytes(4).toString('hex'), insert)
        : await insert(key);
    if (project === undefined) throw fail('KEY_TAKEN', { resource: 'a project', key: key ?? name });
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'projects.create',
        resource: { type: 'project', id: project.id, name },
        projectId: project.id,
        after: { key: project.key, name },
      },
      now,
    );
    return project;
  });
  access.forget({ workspaceId: workspace.id });
  return present(parts, { ...created, retention: {} });
}

export async function update(
  parts: ProjectDependencies,
  { workspace, project }: { workspace: WorkspaceRef; project: ProjectRef },
  caller: UserCaller,
  change: { name?: string | undefined; retention?: Partial<Record<Signal, number | null | undefined>> | undefined },
  origin: Origin,
) {
  const { clock, db, retention, access } = parts;

  refuseEnvironmentPin(caller, 'projects:write');
  const now = dateOf(clock);
  const updated = await db.transaction().execute(async (trx) => {
    const before = await store.lockProject(trx, project.id);
    if (before === undefined) throw fail('NOT_FOUND', { resource: 'project' });
    const name = change.name ?? before.name;
    const kept = changeRetention(before.retention, change.retention ?? {}, retention.classes);
    if (isUnchanged([before.name, before.retention], [name, kept])) return before;
    await store.updateProject(trx, project.id, { name, retention: kept });
    await announceAccessChange(trx, { workspaceId: workspace.id });
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'projects.update',
        resource: { type: 'project', id: project.id, name },
        projectId: project.id,
        before: { name: before.name, retention: chosenRetention(before.retention) },
        after: { name, retention: chosenRetention(kept) },
      },
      now,
    );
    return { ...before, name, retention: kept };
  });
  access.forget({ workspaceId: workspace.id });
  retention.forget();
  return present(parts, updated);
}

export async function remove(
  { clock, db, removedPlaces, access, outbox }: ProjectDependencies,
  { workspace, project }: { workspace: WorkspaceRef; project: ProjectRef },
  caller: UserCaller,
  confirm: string | undefined,
  origin: Origin,
): Promise<void> {
  refuseEnvironmentPin(caller, 'projects:write');
  requireConfirmation(confirm, project);
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    await removeEverythingIn(trx, { workspace, project }, now);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'projects.remove',
        resource: { type: 'project', id: project.id, name: project.name },
        projectId: project.id,
        before: { key: project.key, name: project.name },
      },
      now,
    );
  });
  removedPlaces.changed(workspace.number);
  access.forget({ workspaceId: workspace.id });
  outbox.wake();
}

function present(
  { retention }: ProjectDependencies,
  { id, key, name, retention: stored, created_at }: store.ProjectRow,
) {
  return {
    id,
    key,
    name,
    retention: chosenRetention(stored),
    retention_classes: { default: retention.classes.default, allowed: [...retention.classes.allowed] },
    created_at: created_at.toISOString(),
  };
}
