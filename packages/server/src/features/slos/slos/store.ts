import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { SloDefinition, SloTable } from '../../../platform/postgres/schema.ts';
import { isListed, type Placed, type PlacedFilter, placeExists, placeNames } from '../../identity/projects/index.ts';

/** An SLO with the names of its place. */
export type SloRow = Placed<SloTable>;

function slos(db: Executor) {
  return db
    .selectFrom('slos as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .leftJoin('users as u', 'u.id', 'r.created_by')
    .selectAll('r')
    .select(placeNames)
    .where(placeExists);
}

/** Newest first. */
export async function listSlos(
  db: Executor,
  workspaceId: string,
  filter: PlacedFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<SloRow[]> {
  return slos(db)
    .where(isListed(workspaceId, filter, after, sql<string>`(r.definition ->> 'description')`))
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute();
}

export async function findSlo(db: Executor, workspaceId: string, id: string): Promise<SloRow | undefined> {
  return slos(db).where('r.workspace_id', '=', workspaceId).where('r.id', '=', id).executeTakeFirst();
}

/** SLOs of all workspaces, in the order of their ids. */
export async function listEverySlo(db: Executor, after: string | undefined, limit: number): Promise<SloRow[]> {
  let query = slos(db).orderBy('r.id').limit(limit);
  if (after !== undefined) query = query.where('r.id', '>', after);
  return query.execute();
}

/** Ids of all SLOs, those that have waited longest for a count first; those whose count fails last, so that they hold up nobody. */
export async function listWaiting(db: Executor): Promise<string[]> {
  const rows = await slos(db)
    .clearSelect()
    .select('r.id')
    .orderBy(sql`r.last_error IS NOT NULL`)
    .orderBy('r.derived_to')
    .orderBy('r.id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function listByIds(db: Executor, ids: readonly string[]): Promise<SloRow[]> {
  return ids.length === 0 ? [] : slos(db).where('r.id', 'in', ids).execute();
}

/** SLOs whose past is not counted yet. */
export async function listBackfills(db: Executor, limit: number): Promise<SloRow[]> {
  return slos(db)
    .whereRef('r.backfill_at', '>', 'r.backfill_from')
    .where('r.backfill_error', 'is', null)
    .orderBy('r.id')
    .limit(limit)
    .execute();
}

export async function countSlos(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('slos')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export interface SloValues {
  readonly name: string;
  readonly definition: SloDefinition;
}

/** What is counted again: the past, and from when on. */
export interface Recount {
  readonly derived_to: Date;
  readonly backfill_from: Date;
  readonly backfill_to: Date;
  readonly backfill_at: Date;
}

export async function insertSlo(
  trx: Executor,
  row: SloValues &
    Recount & {
      readonly id: string;
      readonly workspace_id: string;
      readonly project_id: string;
      readonly environment: string | null;
      readonly created_by: string;
      readonly created_at: Date;
    },
): Promise<void> {
  await trx
    .insertInto('slos')
    .values({ ...row, definition: JSON.stringify(row.definition), updated_at: row.created_at })
    .execute();
}

/** Locks the SLO, so that of two changes the second one sees what the first one wrote. */
export async function lockSlo(trx: Executor, workspaceId: string, id: string): Promise<SloRow | undefined> {
  await trx
    .selectFrom('slos')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return findSlo(trx, workspaceId, id);
}

/** @param recount set where the indicator changed: what was counted before does not count any more */
export async function updateSlo(
  trx: Executor,
  id: string,
  { name, definition }: SloValues,
  recount: Recount | undefined,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('slos')
    .set({
      name,
      definition: JSON.stringify(definition),
      version: sql`version + 1`,
      updated_at: now,
      ...(recount && { ...recount, revision: sql`revision + 1`, backfill_error: null, last_error: null }),
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteSlo(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('slos').where('id', '=', id).execute();
}

/** Of a revision that is still the current one. */
export async function saveDerived(
  trx: Executor,
  { id, revision }: Pick<SloRow, 'id' | 'revision'>,
  derived: { readonly to: Date } | { readonly error: string },
): Promise<void> {
  await trx
    .updateTable('slos')
    .set('error' in derived ? { last_error: derived.error } : { derived_to: derived.to, last_error: null })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .execute();
}

export async function saveBackfill(
  trx: Executor,
  { id, revision }: Pick<SloRow, 'id' | 'revision'>,
  reached: { readonly at: Date } | { readonly error: string },
): Promise<void> {
  await trx
    .updateTable('slos')
    .set('error' in reached ? { backfill_error: reached.error } : { backfill_at: reached.at })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .execute();
}

/** Changes of flags of a project, in a window, oldest first. */
export async function listFlagChanges(
  db: Executor,
  projectId: string,
  environment: string | null,
  { from, to, limit }: { from: Date; to: Date; limit: number },
) {
  let query = db
    .selectFrom('flag_history as h')
    .innerJoin('flags as f', 'f.id', 'h.flag_id')
    .leftJoin('environments as e', 'e.id', 'h.environment_id')
    .select(['h.at', 'h.kind', 'f.key', 'e.key as environment'])
    .where('f.project_id', '=', projectId)
    .where('h.at', '>=', from)
    .where('h.at', '<', to)
    .orderBy('h.at', 'desc')
    .limit(limit);
  if (environment !== null)
    query = query.where(({ eb, or }) => or([eb('h.environment_id', 'is', null), eb('e.key', '=', environment)]));
  return (await query.execute()).reverse();
}
