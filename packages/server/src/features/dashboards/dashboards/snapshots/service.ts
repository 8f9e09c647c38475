import type { VariableValues } from '@fanion/contract';
import type { Config } from '../../../../config.ts';
import type { UserCaller, WorkspaceRef } from '../../../../http/caller.ts';
import type { Origin } from '../../../../http/context.ts';
import { dateOf } from '../../../../platform/clock.ts';
import { fail } from '../../../../platform/fail.ts';
import { isId, newId } from '../../../../platform/ids.ts';
import type { FeatureDependencies } from '../../../dependencies.ts';
import { recordAudit } from '../../../identity/audit/index.ts';
import { lockWorkspace } from '../../../identity/workspaces/index.ts';
import type { DashboardRow } from '../store.ts';
import { frozen } from './frozen-data.ts';
import * as store from './store.ts';

export interface NewSnapshot {
  readonly dashboard: DashboardRow;
  readonly name: string;
  readonly environment: string | null;
  readonly variables: VariableValues;
  /** The window that the panels were asked for, in RFC 3339. */
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly lines: AsyncIterable<string | Uint8Array>;
}

const msPerDay = 86_400_000;

export type SnapshotService = ReturnType<typeof createSnapshotService>;

type Parts = Pick<FeatureDependencies, 'db' | 'clock'> & { readonly limits: Config['dashboards']['snapshots'] };

export function createSnapshotService(parts: Parts) {
  const { db, clock, limits } = parts;

  return {
    find: (workspace: WorkspaceRef, id: string) => find(parts, workspace, id),

    /** Throws what can be known before queries run. */
    async refuseEarly(workspace: WorkspaceRef, days: number): Promise<void> {
      if (days > limits.days) throw fail('SNAPSHOT_TOO_LONG', { limit: limits.days });
      await refuseMore(parts, workspace, db);
    },

    /** One row more than `limit` if there are more. */
    list: (
      workspace: WorkspaceRef,
      { dashboardId, after, limit }: { dashboardId: string | undefined; after: string | undefined; limit: number },
    ) => store.listSnapshots(db, workspace.id, { dashboardId, after, limit: limit + 1, now: dateOf(clock) }),

    async data(workspace: WorkspaceRef, id: string): Promise<Buffer> {
      const data = isId(id) ? await store.findSnapshotData(db, workspace.id, id, dateOf(clock)) : undefined;
      if (data === undefined) throw fail('NOT_FOUND', { resource: 'snapshot' });
      return data;
    },

    create: (workspace: WorkspaceRef, caller: UserCaller, given: NewSnapshot, origin: Origin) =>
      create(parts, workspace, caller, given, origin),
    remove: (workspace: WorkspaceRef, id: string, origin: Origin) => remove(parts, workspace, id, origin),
  };
}

async function find({ db, clock }: Parts, workspace: WorkspaceRef, id: string): Promise<store.SnapshotRow> {
  const row = isId(id) ? await store.findSnapshot(db, workspace.id, id, dateOf(clock)) : undefined;
  if (row === undefined) throw fail('NOT_FOUND', { resource: 'snapshot' });
  return row;
}

async function refuseMore(
  { clock, limits }: Parts,
  workspace: WorkspaceRef,
  executor: Parameters<typeof store.countSnapshots>[0],
) {
  if ((await store.countSnapshots(executor, workspace.id, dateOf(clock))) >= limits.perWorkspace)
    throw fail('LIMIT_REACHED', { limit: limits.perWorkspace, resource: 'snapshots' });
}

async function create(parts: Parts, workspace: WorkspaceRef, caller: UserCaller, given: NewSnapshot, origin: Origin) {
  const { db, clock, limits } = parts;
  const data = await frozen(given.lines, limits.bytes);
  if (data === undefined) throw fail('SNAPSHOT_TOO_LARGE', { limit: limits.bytes });
  const now = dateOf(clock);
  const id = newId(now.getTime());
  const { dashboard, name, environment, variables } = given;
  const expires_at = new Date(now.getTime() + given.days * msPerDay);
  await db.transaction().execute(async (trx) => {
    if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
    await refuseMore(parts, workspace, trx);
    await store.insertSnapshot(trx, {
      id,
      workspace_id: workspace.id,
      dashboard_id: dashboard.id,
      project_id: dashboard.project_id,
      environment,
      name,
      version: dashboard.version,
      model: dashboard.model,
      variables,
      from_time: new Date(given.from),
      to_time: new Date(given.to),
      bytes: data.byteLength,
      data,
      created_by: caller.user.id,
      created_by_name: caller.user.name,
      created_at: now,
      expires_at,
    });
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'dashboard_snapshots.create',
        resource: { type: 'dashboard_snapshot', id, name },
        ...(dashboard.project_id !== null && { projectId: dashboard.project_id }),
        after: {
          ...{ dashboard: dashboard.id, version: dashboard.version, environment, bytes: data.byteLength },
          ...{ from: given.from, to: given.to, expires_at: expires_at.toISOString() },
        },
      },
      now,
    );
  });
  return find(parts, workspace, id);
}

async function remove(parts: Parts, workspace: WorkspaceRef, id: string, origin: Origin): Promise<void> {
  const { db, clock } = parts;
  const { name, dashboard_id, project_id, expires_at } = await find(parts, workspace, id);
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    await store.deleteSnapshot(trx, workspace.id, id);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'dashboard_snapshots.remove',
        resource: { type: 'dashboard_snapshot', id, name },
        ...(project_id !== null && { projectId: project_id }),
        before: { dashboard: dashboard_id, expires_at: expires_at.toISOString() },
      },
      now,
    );
  });
}
