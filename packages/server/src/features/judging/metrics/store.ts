import type { MetricDefinition } from '@fanion/contract';
import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import { type Authored, authored, ResourceTable } from '../../identity/resources/index.ts';

export type MetricRow = Authored<'flag_metrics'>;

export const metrics = new ResourceTable<MetricRow, { readonly name: string; readonly definition: MetricDefinition }>(
  'flag_metrics',
  { owner: 'project_id', json: ['definition'], rows: (db) => authored(db, 'flag_metrics') },
);

/** By key. */
export async function listMetrics(
  db: Executor,
  projectId: string,
  { search, after, limit }: { search: string | undefined; after: string | undefined; limit: number },
): Promise<MetricRow[]> {
  let query = authored(db, 'flag_metrics')
    .where('r.project_id', '=', projectId)
    .orderBy(sql`r.key COLLATE "C"`)
    .limit(limit);
  if (after !== undefined) query = query.where(sql<boolean>`r.key COLLATE "C" > ${after}`);
  if (search !== undefined && search !== '')
    query = query.where(sql<boolean>`strpos(lower(r.key || ' ' || r.name), lower(${search})) > 0`);
  return query.execute();
}

export async function findMetrics(
  db: Executor,
  projectId: string,
  { ids, keys }: { readonly ids: readonly string[]; readonly keys: readonly string[] },
): Promise<MetricRow[]> {
  return authored(db, 'flag_metrics')
    .where('r.project_id', '=', projectId)
    .where(sql<boolean>`(r.id = ANY(${[...ids]}::uuid[]) OR r.key = ANY(${[...keys]}::text[]))`)
    .execute();
}
