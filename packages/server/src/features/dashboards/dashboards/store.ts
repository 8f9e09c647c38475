import type { DashboardModel } from '@fanion/contract';
import { type Selectable, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { DashboardVersionTable } from '../../../platform/postgres/schema.ts';
import { isListed, type PlacedFilter, placeExists } from '../../identity/projects/index.ts';
import { type Authored, authored, ResourceTable } from '../../identity/resources/index.ts';

export type DashboardRow = Authored<'dashboards'> & { readonly project: string | null };
export type DashboardListRow = Omit<DashboardRow, 'model'> & {
  readonly description: string;
  readonly tags: string[];
  readonly panels: number;
};

/** Without the model. */
const columns = [
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
] as const;

/** Dashboards of a removed project or environment are gone with it. */
function dashboardsOfPlaces(db: Executor) {
  return authored(db, 'dashboards')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .leftJoin('projects as p', 'p.id', 'r.project_id')
    .select('p.key as project')
    .where((eb) => eb.or([eb('r.project_id', 'is', null), placeExists]));
}

/** Where its panels read. */
export interface DashboardPlace {
  readonly project_id: string | null;
  readonly environment: string | null;
}

export interface DashboardValues extends DashboardPlace {
  readonly name: string;
  readonly model: DashboardModel;
  readonly source: string | null;
}

export const dashboards = new ResourceTable<DashboardRow, DashboardValues>('dashboards', {
  owner: 'workspace_id',
  json: ['model'],
  rows: dashboardsOfPlaces,
});

/** Newest first. */
export async function listDashboards(
  db: Executor,
  workspaceId: string,
  filter: PlacedFilter,
  tag: string | undefined,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<DashboardListRow[]> {
  let query = dashboardsOfPlaces(db)
    .clearSelect()
    .select([
      ...columns,
      'p.key as project',
      sql<string | null>`c.name`.as('created_by_name'),
      sql<string | null>`u.name`.as('updated_by_name'),
      sql<string>`r.model ->> 'description'`.as('description'),
      sql<string[]>`ARRAY(SELECT jsonb_array_elements_text(r.model -> 'tags'))`.as('tags'),
      sql<number>`jsonb_array_length(r.model -> 'panels')`.as('panels'),
    ])
    .where('r.workspace_id', '=', workspaceId)
    .where(isListed(filter, sql`(r.model ->> 'description') || ' ' || (r.model ->> 'tags')`))
    .orderBy('r.id', 'desc')
    .limit(limit);
  if (tag !== undefined) query = query.where(sql<boolean>`(r.model -> 'tags') ? ${tag}`);
  if (after !== undefined) query = query.where('r.id', '<', after);
  return query.execute();
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
