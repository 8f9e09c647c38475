import type { MetricDefinition } from '@fanion/contract';
import { type Selectable, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FlagMetricTable } from '../../../platform/postgres/schema.ts';

export type MetricRow = Selectable<FlagMetricTable> & { readonly created_by_name: string | null };

function metrics(db: Executor, projectId: string) {
  return db
    .selectFrom('flag_metrics as m')
    .leftJoin('users as u', 'u.id', 'm.created_by')
    .selectAll('m')
    .select('u.name as created_by_name')
    .where('m.project_id', '=', projectId);
}

/** By key. */
export async function listMetrics(
  db: Executor,
  projectId: string,
  { search, after, limit }: { search: string | undefined; after: string | undefined; limit: number },
): Promise<MetricRow[]> {
  let query = metrics(db, projectId).orderBy(sql`m.key COLLATE "C"`).limit(limit);
  if (after !== undefined) query = query.where(sql<boolean>`m.key COLLATE "C" > ${after}`);
  if (search !== undefined && search !== '')
    query = query.where(sql<boolean>`strpos(lower(m.key || ' ' || m.name), lower(${search})) > 0`);
  return query.execute();
}

export async function findMetric(db: Executor, projectId: string, id: string): Promise<MetricRow | undefined> {
  return metrics(db, projectId).where('m.id', '=', id).executeTakeFirst();
}

export async function findMetrics(
  db: Executor,
  projectId: string,
  { ids, keys }: { readonly ids: readonly string[]; readonly keys: readonly string[] },
): Promise<MetricRow[]> {
  return metrics(db, projectId)
    .where(sql<boolean>`(m.id = ANY(${[...ids]}::uuid[]) OR m.key = ANY(${[...keys]}::text[]))`)
    .execute();
}

export async function countMetrics(db: Executor, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('flag_metrics')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** False: the key is taken. */
export async function insertMetric(
  trx: Executor,
  row: {
    readonly id: string;
    readonly project_id: string;
    readonly key: string;
    readonly name: string;
    readonly definition: MetricDefinition;
    readonly created_by: string;
    readonly created_at: Date;
  },
): Promise<boolean> {
  const inserted = await trx
    .insertInto('flag_metrics')
    .values({ ...row, definition: JSON.stringify(row.definition), updated_at: row.created_at })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Locks the metric, so that of two changes the second one sees what the first one wrote. */
export async function lockMetric(trx: Executor, projectId: string, id: string): Promise<MetricRow | undefined> {
  await trx
    .selectFrom('flag_metrics')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return findMetric(trx, projectId, id);
}

export async function updateMetric(
  trx: Executor,
  id: string,
  { name, definition, now }: { name: string; definition: MetricDefinition; now: Date },
): Promise<void> {
  await trx
    .updateTable('flag_metrics')
    .set({ name, definition: JSON.stringify(definition), version: sql`version + 1`, updated_at: now })
    .where('id', '=', id)
    .execute();
}

export async function deleteMetric(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('flag_metrics').where('id', '=', id).execute();
}
