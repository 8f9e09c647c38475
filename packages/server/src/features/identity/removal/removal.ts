import type { EnvironmentRef, ProjectRef, WorkspaceRef } from '../../../http/caller.ts';
import { fail } from '../../../platform/fail.ts';
import { enqueueJob } from '../../../platform/jobs/index.ts';
import { appendOutbox } from '../../../platform/outbox/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { announceAccessChange } from '../access/index.ts';
import { insertRemoval } from './removals-store.ts';
import * as store from './store.ts';
import { removalJobPrefix, telemetryRemovalKind, telemetryRemoved } from './telemetry-job.ts';

/** The place to remove: a workspace, one of its projects, or one environment of a project. */
export interface RemovedPlace {
  readonly workspace: WorkspaceRef;
  readonly project?: ProjectRef;
  readonly environment?: Pick<EnvironmentRef, 'id' | 'key' | 'name'>;
}

/** Outbox topic; key: the id of the environment. Streams of its flags end, its ruleset is dropped. */
export const environmentRemoved = 'environments.removed';

/** Throws `CONFIRMATION_REQUIRED` unless `confirm` is the name or the key of what is to be deleted. */
export function requireConfirmation(confirm: string | undefined, named: { key: string; name: string }): void {
  if (confirm !== named.key && confirm !== named.name) throw fail('CONFIRMATION_REQUIRED', { name: named.key });
}

/**
 * Removes a place with all its contents: marks the rows, which hides them and frees their keys, ends tokens and keys,
 * notifies all replicas, and schedules the deletion of its telemetry, which is hidden from the commit on. Call
 * `RemovedPlaces.changed` after it. It works top down, so that anything being created
 * inside waits for the row above it and then finds it removed. Throws `NOT_FOUND` when another request was faster.
 */
export async function removeEverythingIn(trx: Executor, place: RemovedPlace, now: Date): Promise<void> {
  const { workspace, project, environment } = place;
  const ids = { workspaceId: workspace.id, projectId: project?.id, environmentId: environment?.id };
  if (project === undefined && !(await store.removeWorkspaceRow(trx, workspace.id, now)))
    throw fail('NOT_FOUND', { resource: 'workspace' });
  if (environment === undefined) {
    const projects = await store.removeProjectRows(trx, ids, now);
    if (project !== undefined && projects === 0) throw fail('NOT_FOUND', { resource: 'project' });
  }
  const environments = await store.removeEnvironmentRows(trx, ids, now);
  if (environment !== undefined && environments.length === 0) throw fail('NOT_FOUND', { resource: 'environment' });
  await store.revokeSecrets(trx, ids, now);
  await store.removeGrants(trx, ids);
  await announceAccessChange(trx, { workspaceId: workspace.id });
  await appendOutbox(
    trx,
    ...environments.map(({ id, project_id }) => ({
      topic: environmentRemoved,
      key: id,
      payload: { workspace_id: workspace.id, project_id },
    })),
  );
  await store.removeSnapshots(trx, { ...ids, environmentKey: environment?.key });
  const { id, key, name } = environment ?? project ?? { ...workspace, key: workspace.slug };
  await insertRemoval(trx, {
    id,
    workspace_id: workspace.id,
    workspace: workspace.number,
    project_id: project?.id ?? null,
    project: project?.number ?? null,
    environment: environment?.key ?? null,
    key,
    name,
    removed_at: now,
  });
  await appendOutbox(trx, { topic: telemetryRemoved, key: id, payload: { workspace: workspace.number } });
  await enqueueJob(trx, { kind: telemetryRemovalKind, name: removalJobPrefix + id, payload: null, runAt: now });
}
