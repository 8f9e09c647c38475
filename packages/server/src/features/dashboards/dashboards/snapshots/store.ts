import { type Selectable, sql } from 'kysely';
import type { Database, Executor } from '../../../../platform/postgres/database.ts';
import type { DashboardSnapshotTable } from '../../../../platform/postgres/schema.ts';
import { placeExists } from '../../../identity/projects/index.ts';

export type SnapshotRow = Omit<Selectable<DashboardSnapshotTable>, 'data'> & { readonly project: string | null };
export type SnapshotListRow = Omit<SnapshotRow, 'model' | 'variables'>;

const facts = [
  'r.id',
  'r.workspace_id',
  'r.dashboard_id',
  'r.project_id',
  'r.environment',
  'r.name',
  'r.version',
  'r.from_time',
  'r.to_time',
  'r.bytes',
  'r.created_by',
  'r.created_by_name',
  'r.created_at',
  'r.expires_at',
  'p.key as project',
] as const;

/** Those that have not expired. Snapshots of a removed project or environment are gone with it. */
function snapshots(db: Executor, workspaceId: string, now: Date) {
  return db
    .selectFrom('dashboard_snapshots as r')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .leftJoin('projects as p', 'p.id', 'r.project_id')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.expires_at', '>', now)
    .where((eb) => eb.or([eb('r.project_id', 'is', null), placeExists]));
}

export async function insertSnapshot(
  trx: Executor,
  row: Omit<SnapshotRow, 'project'> & { readonly data: Buffer },
): Promise<void> {
  const { model, variables } = row;
  await trx
    .insertInto('dashboard_snapshots')
    .values({ ...row, model: JSON.stringify(model), variables: JSON.stringify(variables) })
    .execute();
}

/** Newest first. */
export async function listSnapshots(
  db: Executor,
  workspaceId: string,
  {
    dashboardId,
    after,
    limit,
    now,
  }: {
    readonly dashboardId: string | undefined;
    readonly after: string | undefined;
    readonly limit: number;
    readonly now: Date;
  },
): Promise<SnapshotListRow[]> {
  let query = snapshots(db, workspaceId, now).select(facts).orderBy('r.id', 'desc').limit(limit);
  if (dashboardId !== undefined) query = query.where('r.dashboard_id', '=', dashboardId);
  if (after !== undefined) query = query.where('r.id', '<', after);
  return query.execute();
}

export async function findSnapshot(
  db: Executor,
  workspaceId: string,
  id: string,
  now: Date,
): Promise<SnapshotRow | undefined> {
  return snapshots(db, workspaceId, now)
    .select([...facts, 'r.model', 'r.variables'])
    .where('r.id', '=', id)
    .executeTakeFirst();
}

export async function findSnapshotData(
  db: Executor,
  workspaceId: string,
  id: string,
  now: Date,
): Promise<Buffer | undefined> {
  return (await snapshots(db, workspaceId, now).select('r.data').where('r.id', '=', id).executeTakeFirst())?.data;
}

export async function countSnapshots(db: Executor, workspaceId: string, now: Date): Promise<number> {
  const row = await snapshots(db, workspaceId, now)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function deleteSnapshot(trx: Executor, workspaceId: string, id: string): Promise<void> {
  await trx.deleteFrom('dashboard_snapshots').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** @returns how many were removed */
export async function deleteExpired(db: Database, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('dashboard_snapshots')
    .where('expires_at', '<=', now)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
