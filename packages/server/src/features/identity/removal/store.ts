import type { Executor } from '../../../platform/postgres/database.ts';

/** The place to remove: a workspace, one of its projects, or one environment of a project. */
export interface PlaceIds {
  readonly workspaceId: string;
  readonly projectId: string | undefined;
  readonly environmentId: string | undefined;
}

/** Marks the workspace; its slug is free after the commit. False: another request has removed it. */
export async function removeWorkspaceRow(trx: Executor, id: string, now: Date): Promise<boolean> {
  const row = await trx
    .updateTable('workspaces')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  await trx.deleteFrom('invitations').where('workspace_id', '=', id).where('accepted_at', 'is', null).execute();
  return row !== undefined;
}

/** Marks the projects of a place and returns their number. */
export async function removeProjectRows(trx: Executor, place: PlaceIds, now: Date): Promise<number> {
  let query = trx
    .updateTable('projects')
    .set({ deleted_at: now })
    .where('workspace_id', '=', place.workspaceId)
    .where('deleted_at', 'is', null);
  if (place.projectId !== undefined) query = query.where('id', '=', place.projectId);
  return (await query.returning('id').execute()).length;
}

/** Marks the environments of a place and returns them. */
export async function removeEnvironmentRows(
  trx: Executor,
  place: PlaceIds,
  now: Date,
): Promise<{ id: string; project_id: string }[]> {
  let query = trx
    .updateTable('environments')
    .set({ deleted_at: now })
    .where('deleted_at', 'is', null)
    .where('project_id', 'in', (eb) => {
      const projects = eb.selectFrom('projects').select('id').where('workspace_id', '=', place.workspaceId);
      return place.projectId === undefined ? projects : projects.where('id', '=', place.projectId);
    });
  if (place.environmentId !== undefined) query = query.where('id', '=', place.environmentId);
  return query.returning(['id', 'project_id']).execute();
}

/** Ends the tokens and keys that are pinned to the place, or all of a workspace's. */
export async function revokeSecrets(trx: Executor, place: PlaceIds, now: Date): Promise<void> {
  let tokens = trx
    .updateTable('api_tokens')
    .set({ revoked_at: now })
    .where('workspace_id', '=', place.workspaceId)
    .where('revoked_at', 'is', null);
  let keys = trx
    .updateTable('sdk_keys')
    .set({ revoked_at: now })
    .where('workspace_id', '=', place.workspaceId)
    .where('revoked_at', 'is', null);
  if (place.projectId !== undefined) {
    tokens = tokens.where('project_id', '=', place.projectId);
    keys = keys.where('project_id', '=', place.projectId);
  }
  if (place.environmentId !== undefined) {
    tokens = tokens.where('environment_id', '=', place.environmentId);
    keys = keys.where('environment_id', '=', place.environmentId);
  }
  await tokens.execute();
  await keys.execute();
}

/** Removes the members' grants in the place; they would prevent the deletion of a custom role. */
export async function removeGrants(trx: Executor, place: PlaceIds): Promise<void> {
  if (place.environmentId !== undefined) {
    await trx.deleteFrom('grants').where('environment_id', '=', place.environmentId).execute();
    return;
  }
  const { projectId } = place;
  await trx
    .deleteFrom('grants')
    .where('project_id', 'in', (eb) => {
      const projects = eb.selectFrom('projects').select('id').where('workspace_id', '=', place.workspaceId);
      return projectId === undefined ? projects : projects.where('id', '=', projectId);
    })
    .execute();
}

/**
 * Deletes dashboard snapshots that may hold answers about the place: they cannot be divided by project. A snapshot of before the place
 * existed stays.
 */
export async function removeSnapshots(
  trx: Executor,
  { workspaceId, projectId, environmentId, environmentKey }: PlaceIds & { readonly environmentKey: string | undefined },
): Promise<void> {
  let query = trx.deleteFrom('dashboard_snapshots').where('workspace_id', '=', workspaceId);
  if (projectId !== undefined)
    query = query
      .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]))
      .where('created_at', '>=', (eb) =>
        environmentId === undefined
          ? eb.selectFrom('projects').select('created_at').where('id', '=', projectId)
          : eb.selectFrom('environments').select('created_at').where('id', '=', environmentId),
      );
  if (environmentKey !== undefined)
    query = query.where((eb) => eb.or([eb('environment', 'is', null), eb('environment', '=', environmentKey)]));
  await query.execute();
}
