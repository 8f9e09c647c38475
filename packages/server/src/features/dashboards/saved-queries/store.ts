import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';

export interface SavedQueryRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly query: string;
  readonly window_from: string | null;
  readonly window_to: string | null;
  readonly project_id: string | null;
  readonly project: string | null;
  readonly environment: string | null;
  readonly tags: string[];
  readonly created_by: string | null;
  readonly created_by_name: string | null;
  readonly created_at: Date;
}

export interface SavedQueryFilter {
  readonly projectId: string | undefined;
  readonly environment: string | undefined;
  readonly search: string | undefined;
  readonly tag: string | undefined;
}

function savedQueries(db: Executor, workspaceId: string) {
  return (
    db
      .selectFrom('saved_queries as q')
      .leftJoin('projects as p', 'p.id', 'q.project_id')
      .leftJoin('users as u', 'u.id', 'q.created_by')
      .select([
        'q.id',
        'q.name',
        'q.description',
        'q.query',
        'q.window_from',
        'q.window_to',
        'q.project_id',
        'p.key as project',
        'q.environment',
        'q.tags',
        'q.created_by',
        'u.name as created_by_name',
        'q.created_at',
      ])
      .where('q.workspace_id', '=', workspaceId)
      // Queries of a removed project are removed with it.
      .where((eb) => eb.or([eb('q.project_id', 'is', null), eb('p.deleted_at', 'is', null)]))
  );
}

/** Newest first. */
export async function listSavedQueries(
  db: Executor,
  workspaceId: string,
  { projectId, environment, search, tag }: SavedQueryFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<SavedQueryRow[]> {
  let query = savedQueries(db, workspaceId).orderBy('q.id', 'desc').limit(limit);
  if (projectId !== undefined) query = query.where('q.project_id', '=', projectId);
  if (environment !== undefined) query = query.where('q.environment', '=', environment);
  if (tag !== undefined) query = query.where(sql<boolean>`${tag} = ANY(q.tags)`);
  if (search !== undefined && search !== '')
    query = query.where(
      sql<boolean>`position(lower(${search}) in lower(q.name || ' ' || q.description || ' ' || q.query)) > 0`,
    );
  if (after !== undefined) query = query.where('q.id', '<', after);
  return query.execute();
}

export async function findSavedQuery(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<SavedQueryRow | undefined> {
  return savedQueries(db, workspaceId).where('q.id', '=', id).executeTakeFirst();
}

export async function countSavedQueries(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('saved_queries')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export interface NewSavedQuery {
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly environment: string | null;
  readonly name: string;
  readonly description: string;
  readonly query: string;
  readonly window_from: string | null;
  readonly window_to: string | null;
  readonly tags: string[];
  readonly created_by: string;
  readonly created_at: Date;
}

export async function insertSavedQuery(trx: Executor, row: NewSavedQuery): Promise<void> {
  await trx.insertInto('saved_queries').values(row).execute();
}

/** Returns whether it existed. */
export async function removeSavedQuery(trx: Executor, workspaceId: string, id: string): Promise<boolean> {
  const removed = await trx
    .deleteFrom('saved_queries')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return removed !== undefined;
}
