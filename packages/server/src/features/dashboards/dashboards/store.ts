import type { DashboardModel } from '@fanion/contract';
import { type Selectable, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { DashboardTable, DashboardVersionTable } from '../../../platform/postgres/schema.ts';
import { placeExists } from '../../identity/projects/index.ts';

export type DashboardRow = Selectable<DashboardTable> & {
  readonly project: string | null;
  readonly created_by_name: string | null;
  readonly updated_by_name: string | null;
};
export type DashboardListRow = Omit<DashboardRow, 'model'> & {
  readonly description: string;
  readonly tags: string[];
  readonly panels: number;
};

export interface DashboardFilter {
  readonly projectId: string | undefined;
  readonly environment: string | undefined;
  readonly search: string | undefined;
  readonly tag: string | undefined;
}

const facts = [
  'r.id',
  'r.workspace_id',
  'r.project_id',
  'r.environment',
  'r.name',
  'r.version',
  'r.source',
  'r.created_by',
  'r.created_at',
  'r.updated_by',
  'r.updated_at',
  'p.key as project',
  'c.name as created_by_name',
  'u.name as updated_by_name',
] as const;

/** Dashboards of a removed project or environment are gone with it. */
function dashboards(db: Executor, workspaceId: string) {
  return db
    .selectFrom('dashboards as r')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .leftJoin('projects as p', 'p.id', 'r.project_id')
    .leftJoin('users as c', 'c.id', 'r.created_by')
    .leftJoin('users as u', 'u.id', 'r.updated_by')
    .select(facts)
    .where('r.workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('r.project_id', 'is', null), placeExists]));
}

/** Newest first. */
export async function listDashboards(
  db: Executor,
  workspaceId: string,
  { projectId, environment, search, tag }: DashboardFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<DashboardListRow[]> {
  let query = dashboards(db, workspaceId)
    .select([
      sql<string>`r.model ->> 'description'`.as('description'),
      sql<string[]>`ARRAY(SELECT jsonb_array_elements_text(r.model -> 'tags'))`.as('tags'),
      sql<number>`jsonb_array_length(r.model -> 'panels')`.as('panels'),
    ])
    .orderBy('r.id', 'desc')
    .limit(limit);
  if (projectId !== undefined) query = query.where('r.project_id', '=', projectId);
  if (environment !== undefined) query = query.where('r.environment', '=', environment);
  if (tag !== undefined) query = query.where(sql<boolean>`(r.model -> 'tags') ? ${tag}`);
  if (search !== undefined && search !== '')
    query = query.where(
      sql<boolean>`position(lower(${search}) in lower(r.name || ' ' || (r.model ->> 'description') || ' ' || (r.model ->> 'tags'))) > 0`,
    );
  if (after !== undefined) query = query.where('r.id', '<', after);
  return query.execute();
}

export async function findDashboard(db: Executor, workspaceId: string, id: string): Promise<DashboardRow | undefined> {
  return dashboards(db, workspaceId).select('r.model').where('r.id', '=', id).executeTakeFirst();
}

/** Locks the dashboard, so that of two changes the second one sees what the first one wrote. */
export async function lockDashboard(trx: Executor, workspaceId: string, id: string): Promise<DashboardRow | undefined> {
  await trx
    .selectFrom('dashboards')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return findDashboard(trx, workspaceId, id);
}

export async function countDashboards(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('dashboards')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export interface DashboardPlace {
  readonly project_id: string | null;
  readonly environment: string | null;
}

export async function insertDashboard(
  trx: Executor,
  row: DashboardPlace & {
    readonly id: string;
    readonly workspace_id: string;
    readonly model: DashboardModel;
    readonly source: string | null;
    readonly created_by: string;
    readonly created_at: Date;
  },
): Promise<void> {
  const { model, created_by, created_at } = row;
  await trx
    .insertInto('dashboards')
    .values({ ...row, name: model.name, model: JSON.stringify(model), updated_by: created_by, updated_at: created_at })
    .execute();
}

export async function updateDashboard(
  trx: Executor,
  id: string,
  { model, ...facts }: DashboardPlace & { readonly model: DashboardModel; readonly source: string | null },
  { version, by, now }: { readonly version: number; readonly by: string; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable('dashboards')
    .set({ ...facts, name: model.name, model: JSON.stringify(model), version, updated_by: by, updated_at: now })
    .where('id', '=', id)
    .execute();
}

export async function deleteDashboard(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('dashboards').where('id', '=', id).execute();
}

export type VersionRow = Selectable<DashboardVersionTable>;

/** Writes a version, and removes the oldest ones beyond `kept`. */
export async function insertVersion(
  trx: Executor,
  row: Omit<VersionRow, 'created_at'> & { readonly created_at: Date },
  kept: number,
): Promise<void> {
  await trx
    .insertInto('dashboard_versions')
    .values({ ...row, model: JSON.stringify(row.model) })
    .execute();
  await trx
    .deleteFrom('dashboard_versions')
    .where('dashboard_id', '=', row.dashboard_id)
    .where('version', '<=', row.version - kept)
    .execute();
}

/** Newest first. */
export async function listVersions(
  db: Executor,
  dashboardId: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<Omit<VersionRow, 'model'>[]> {
  let query = db
    .selectFrom('dashboard_versions')
    .select(['dashboard_id', 'version', 'comment', 'author_id', 'author_name', 'created_at'])
    .where('dashboard_id', '=', dashboardId)
    .orderBy('version', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('version', '<', before);
  return query.execute();
}

export async function findVersion(db: Executor, dashboardId: string, version: number): Promise<VersionRow | undefined> {
  return db
    .selectFrom('dashboard_versions')
    .selectAll()
    .where('dashboard_id', '=', dashboardId)
    .where('version', '=', version)
    .executeTakeFirst();
}
