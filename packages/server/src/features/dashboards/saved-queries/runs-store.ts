import type { QueryLanguage } from '@fanion/contract';
import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';

/** One run of a query as stored. */
export interface QueryRunRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly environment: string | null;
  readonly user_id: string;
  readonly user_name: string;
  readonly token_id: string | null;
  readonly token_name: string | null;
  readonly at: Date;
  readonly query: string;
  readonly query_language: QueryLanguage | null;
  readonly window_from: Date | null;
  readonly window_to: Date | null;
  readonly status: 'ok' | 'failed' | 'cancelled';
  readonly error: string | null;
  readonly took_ms: number;
  readonly rows_read: number;
  readonly bytes_read: number;
  readonly result_rows: number;
  readonly truncated: boolean;
}

export interface QueryRunFilter {
  /** Whose runs: those of a person, of one of their tokens, or (neither is set) everybody's. */
  readonly userId: string | undefined;
  readonly tokenId: string | undefined;
  readonly projectId: string | undefined;
  readonly environment: string | undefined;
  readonly status: QueryRunRow['status'] | undefined;
  readonly search: string | undefined;
}

export async function insertRuns(db: Executor, rows: readonly QueryRunRow[]): Promise<void> {
  await db
    .insertInto('query_runs')
    .values([...rows])
    .execute();
}

/** Newest first; projects by key. */
export async function listRuns(
  db: Executor,
  workspaceId: string,
  { userId, tokenId, projectId, environment, status, search }: QueryRunFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<(QueryRunRow & { project: string | null })[]> {
  let query = db
    .selectFrom('query_runs as r')
    .leftJoin('projects as p', 'p.id', 'r.project_id')
    .selectAll('r')
    .select('p.key as project')
    .where('r.workspace_id', '=', workspaceId)
    .orderBy('r.id', 'desc')
    .limit(limit);
  if (userId !== undefined) query = query.where('r.user_id', '=', userId);
  if (tokenId !== undefined) query = query.where('r.token_id', '=', tokenId);
  if (projectId !== undefined) query = query.where('r.project_id', '=', projectId);
  if (environment !== undefined) query = query.where('r.environment', '=', environment);
  if (status !== undefined) query = query.where('r.status', '=', status);
  if (search !== undefined && search !== '')
    query = query.where(sql<boolean>`position(lower(${search}) in lower(r.query)) > 0`);
  if (after !== undefined) query = query.where('r.id', '<', after);
  const rows = await query.execute();
  return rows.map((row) => ({
    ...row,
    took_ms: Number(row.took_ms),
    rows_read: Number(row.rows_read),
    bytes_read: Number(row.bytes_read),
  }));
}

/** Removes runs older than `before`, and all but the newest `keep` of each workspace. */
export async function pruneRuns(db: Executor, before: Date, keep: number): Promise<void> {
  await db.deleteFrom('query_runs').where('at', '<', before).execute();
  await sql`DELETE FROM query_runs WHERE id IN (
    SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY workspace_id ORDER BY id DESC) AS place FROM query_runs) AS placed
    WHERE place > ${keep})`.execute(db);
}
