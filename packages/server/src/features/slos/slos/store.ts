import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { SloDefinition } from '../../../platform/postgres/schema.ts';
import { isListed, type PlacedFilter } from '../../identity/projects/index.ts';
import { type Placed, placed, ResourceTable } from '../../identity/resources/index.ts';

/** An SLO with the names of its place. */
export type SloRow = Placed<'slos'>;

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

export const slos = new ResourceTable<SloRow, SloValues>('slos', {
  owner: 'workspace_id',
  json: ['definition'],
  rows: (db) => placed(db, 'slos'),
});

export const isListedSlo = (filter: PlacedFilter) => isListed(filter, sql`(r.definition ->> 'description')`);

/** What an SLO is written with whose indicator changed: what was counted before does not count any more. */
export function countedAgain(recount: Recount) {
  return { ...recount, revision: sql`revision + 1`, backfill_error: null, last_error: null };
}

/** SLOs of all workspaces, in the order of their ids. */
export async function listEverySlo(db: Executor, after: string | undefined, limit: number): Promise<SloRow[]> {
  let query = placed(db, 'slos').orderBy('r.id').limit(limit);
  if (after !== undefined) query = query.where('r.id', '>', after);
  return query.execute();
}

/** Ids of all SLOs, those that have waited longest for a count first; those whose count fails last, so that they hold up nobody. */
export async function listWaiting(db: Executor): Promise<string[]> {
  const rows = await placed(db, 'slos')
    .clearSelect()
    .select('r.id')
    .orderBy(sql`r.last_error IS NOT NULL`)
    .orderBy('r.derived_to')
    .orderBy('r.id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function listByIds(db: Executor, ids: readonly string[]): Promise<SloRow[]> {
  return ids.length === 0 ? [] : placed(db, 'slos').where('r.id', 'in', ids).execute();
}

/** SLOs whose past is not counted yet. */
export async function listBackfills(db: Executor, limit: number): Promise<SloRow[]> {
  return placed(db, 'slos')
    .whereRef('r.backfill_at', '>', 'r.backfill_from')
    .where('r.backfill_error', 'is', null)
    .orderBy('r.id')
    .limit(limit)
    .execute();
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
