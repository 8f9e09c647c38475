import { type Selectable, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { TelemetryRemovalTable } from '../../../platform/postgres/schema/places.ts';
import type { HiddenPlace } from '../../../platform/scoped-telemetry.ts';

export type RemovalRow = Selectable<TelemetryRemovalTable>;

export async function insertRemoval(
  trx: Executor,
  row: Omit<RemovalRow, 'attribute' | 'value' | 'sweep_at' | 'next_table' | 'parts_left' | 'swept' | 'finished_at'> &
    Partial<Pick<RemovalRow, 'attribute' | 'value'>>,
): Promise<RemovalRow> {
  return trx
    .insertInto('telemetry_removals')
    .values({ attribute: null, value: null, ...row, sweep_at: null, parts_left: null, finished_at: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** How many erasures of a workspace are not finished. */
export async function countErasures(db: Executor, workspaceId: string): Promise<number> {
  const { n } = await db
    .selectFrom('telemetry_removals')
    .select(({ fn }) => fn.countAll().as('n'))
    .where('workspace_id', '=', workspaceId)
    .where('attribute', 'is not', null)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(n);
}

export async function findRemoval(db: Executor, id: string): Promise<RemovalRow | undefined> {
  return db.selectFrom('telemetry_removals').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function updateRemoval(
  trx: Executor,
  id: string,
  progress: Partial<Pick<RemovalRow, 'sweep_at' | 'next_table' | 'parts_left' | 'swept' | 'finished_at'>>,
): Promise<void> {
  await trx.updateTable('telemetry_removals').set(progress).where('id', '=', id).execute();
}

export async function deleteRemoval(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('telemetry_removals').where('id', '=', id).execute();
}

/** Removed projects and environments by the number of their workspace. */
export async function findHiddenPlaces(db: Executor): Promise<ReadonlyMap<number, readonly HiddenPlace[]>> {
  const rows = await db
    .selectFrom('telemetry_removals')
    .select(['workspace', 'project', 'environment', 'removed_at'])
    .where('project', 'is not', null)
    .where('attribute', 'is', null)
    .orderBy('id')
    .execute();
  const places = new Map<number, HiddenPlace[]>();
  for (const { workspace, project, environment, removed_at } of rows) {
    if (project === null) continue;
    const before = environment === null ? undefined : Math.floor(removed_at.getTime() / 1000);
    const hidden = { project, environment: environment ?? undefined, before };
    places.set(workspace, [...(places.get(workspace) ?? []), hidden]);
  }
  return places;
}

/** A removal, and why its last step failed. */
export type ListedRemoval = RemovalRow & { readonly last_error: string | null };

/** @param jobOf the name of the job of a removal before its id */
export async function listRemovals(
  db: Executor,
  workspaceId: string,
  options: {
    readonly projectId: string | undefined;
    readonly after: string | undefined;
    readonly limit: number;
    readonly jobOf: string;
  },
): Promise<ListedRemoval[]> {
  const { projectId, after, limit, jobOf } = options;
  let query = db
    .selectFrom('telemetry_removals as r')
    .leftJoin('jobs as j', (join) => join.on(sql<boolean>`j.name = ${jobOf}::text || r.id::text`))
    .selectAll('r')
    .select('j.last_error')
    .where('r.workspace_id', '=', workspaceId)
    .orderBy('r.id', 'desc')
    .limit(limit);
  if (projectId !== undefined) query = query.where('r.project_id', '=', projectId);
  if (after !== undefined) query = query.where('r.id', '<', after);
  return query.execute();
}
