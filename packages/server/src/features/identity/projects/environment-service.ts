import type { EnvironmentRef, ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { pinOf, refuseEnvironmentPin } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import { refuseIdAsKey } from '../../../platform/keys.ts';
import { announceAccessChange } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import { removeEverythingIn, requireConfirmation } from '../removal/index.ts';
import type { ControlDependencies } from './project-service.ts';
import { maxEnvironments } from './rules.ts';
import * as store from './store.ts';

interface Place {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
}

export async function list(
  { db }: ControlDependencies,
  { project }: Place,
  caller: UserCaller,
  options: { after: string | undefined; limit: number },
) {
  const only = pinOf(caller)?.environmentId ?? undefined;
  const rows = await store.listEnvironments(db, project.id, { ...options, only, limit: options.limit + 1 });
  return rows.map(present);
}

export async function create(
  { clock, db, access }: ControlDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  input: { key: string; name: string; requires_approval: boolean },
  origin: Origin,
) {
  refuseEnvironmentPin(caller, 'environments:write');
  refuseIdAsKey(input.key, 'key');
  const now = dateOf(clock);
  const created = await db.transaction().execute(async (trx) => {
    if ((await store.lockProject(trx, project.id)) === undefined) throw fail('NOT_FOUND', { resource: 'project' });
    if ((await store.countEnvironments(trx, project.id)) >= maxEnvironments)
      throw fail('LIMIT_REACHED', { limit: maxEnvironments, resource: 'environments of a project' });
    const environment = await store.insertEnvironment(trx, {
      id: newId(now.getTime()),
      projectId: project.id,
      key: input.key,
      name: input.name,
      requiresApproval: input.requires_approval,
      now,
    });
    if (environment === undefined) throw fail('KEY_TAKEN', { resource: 'an environment', key: input.key });
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'environments.create',
        resource: { type: 'environment', id: environment.id, name: environment.name },
        projectId: project.id,
        environmentId: environment.id,
        after: input,
      },
      now,
    );
    return environment;
  });
  access.forget({ workspaceId: workspace.id });
  return present(created);
}

export async function update(
  { clock, db, access }: ControlDependencies,
  { workspace, project, environment }: Place & { environment: EnvironmentRef },
  caller: UserCaller,
  change: { name?: string | undefined; requires_approval?: boolean | undefined },
  origin: Origin,
) {
  refuseEnvironmentPin(caller, 'environments:write');
  const now = dateOf(clock);
  const updated = await db.transaction().execute(async (trx) => {
    const row = await store.lockEnvironment(trx, environment.id);
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
    const before = { name: row.name, requires_approval: row.requires_approval };
    const after = {
      name: change.name ?? before.name,
      requires_approval: change.requires_approval ?? before.requires_approval,
    };
    if (isUnchanged(before, after)) return row;
    await store.updateEnvironment(trx, environment.id, after);
    await announceAccessChange(trx, { workspaceId: workspace.id });
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'environments.update',
        resource: { type: 'environment', id: environment.id, name: after.name },
        projectId: project.id,
        environmentId: environment.id,
        before,
        after,
      },
      now,
    );
    return { ...row, ...after };
  });
  access.forget({ workspaceId: workspace.id });
  return present(updated);
}

/** Never removes a project's last environment, not even when others are removed at the same time. */
export async function remove(
  { clock, db, removedPlaces, access, outbox }: ControlDependencies,
  { workspace, project, environment }: Place & { environment: EnvironmentRef },
  caller: UserCaller,
  confirm: string | undefined,
  origin: Origin,
): Promise<void> {
  refuseEnvironmentPin(caller, 'environments:write');
  requireConfirmation(confirm, environment);
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    if ((await store.lockProject(trx, project.id)) === undefined) throw fail('NOT_FOUND', { resource: 'project' });
    await removeEverythingIn(trx, { workspace, project, environment }, now);
    if ((await store.countEnvironments(trx, project.id)) === 0) throw fail('LAST_ENVIRONMENT');
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'environments.remove',
        resource: { type: 'environment', id: environment.id, name: environment.name },
        projectId: project.id,
        environmentId: environment.id,
        before: { key: environment.key, name: environment.name, requires_approval: environment.requiresApproval },
      },
      now,
    );
  });
  removedPlaces.changed(workspace.number);
  access.forget({ workspaceId: workspace.id });
  outbox.wake();
}

function present({ id, key, name, requires_approval, created_at }: store.EnvironmentRow) {
  return { id, key, name, requires_approval, created_at: created_at.toISOString() };
}
