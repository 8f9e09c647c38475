import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FlagChangeTable } from '../../../platform/postgres/schema.ts';

type ChangeColumns = Selectable<FlagChangeTable>;
export type ChangeRow = Omit<ChangeColumns, 'payload'> & {
  readonly flag: string | null;
  readonly segment: string | null;
  readonly environment: string | null;
  readonly created_by_name: string | null;
  readonly reviewed_by_name: string | null;
};

const columns = [
  'c.id',
  'c.project_id',
  'c.kind',
  'c.flag_id',
  'c.segment_id',
  'c.environment_id',
  'c.status',
  'c.diff',
  'c.base_version',
  'c.needs',
  'c.comment',
  'c.apply_at',
  'c.created_at',
  'c.created_by',
  'c.reviewed_at',
  'c.reviewed_by',
  'c.review_comment',
  'c.applied_at',
  'c.failure',
  'f.key as flag',
  's.key as segment',
  'e.key as environment',
  'author.name as created_by_name',
  'reviewer.name as reviewed_by_name',
] as const;

function select(db: Executor) {
  return db
    .selectFrom('flag_changes as c')
    .leftJoin('flags as f', 'f.id', 'c.flag_id')
    .leftJoin('segments as s', 's.id', 'c.segment_id')
    .leftJoin('environments as e', 'e.id', 'c.environment_id')
    .leftJoin('users as author', 'author.id', 'c.created_by')
    .leftJoin('users as reviewer', 'reviewer.id', 'c.reviewed_by')
    .select(columns);
}

export interface ChangeFilter {
  readonly status?: ChangeRow['status'] | undefined;
  readonly flag?: string | undefined;
  /** By id or key. */
  readonly environment?: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listChanges(db: Executor, projectId: string, filter: ChangeFilter): Promise<ChangeRow[]> {
  const { status, flag, environment, after, limit } = filter;
  let query = select(db).where('c.project_id', '=', projectId).orderBy('c.id', 'desc').limit(limit);
  if (status !== undefined) query = query.where('c.status', '=', status);
  if (flag !== undefined) query = query.where('f.key', '=', flag);
  if (environment !== undefined)
    query = query.where((eb) => eb.or([eb('e.key', '=', environment), eb(sql`e.id::text`, '=', environment)]));
  if (after !== undefined) query = query.where('c.id', '<', after);
  return query.execute();
}

export async function findChange(db: Executor, projectId: string, id: string): Promise<ChangeRow | undefined> {
  return select(db).where('c.project_id', '=', projectId).where('c.id', '=', id).executeTakeFirst();
}

export async function findPayload(db: Executor, id: string): Promise<unknown> {
  const row = await db.selectFrom('flag_changes').select('payload').where('id', '=', id).executeTakeFirst();
  return row?.payload;
}

/** The number of waiting changes of a project. */
export async function countWaiting(db: Executor, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('flag_changes')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('status', 'in', ['pending', 'scheduled'])
    .executeTakeFirstOrThrow();
  return row.count;
}

export type NewChange = Pick<
  ChangeColumns,
  | 'id'
  | 'project_id'
  | 'kind'
  | 'flag_id'
  | 'segment_id'
  | 'environment_id'
  | 'status'
  | 'payload'
  | 'diff'
  | 'base_version'
  | 'needs'
  | 'comment'
  | 'apply_at'
  | 'created_at'
  | 'created_by'
>;

export async function insertChange(trx: Executor, { payload, diff, ...change }: NewChange): Promise<void> {
  await trx
    .insertInto('flag_changes')
    .values({
      ...change,
      payload: JSON.stringify(payload),
      diff: JSON.stringify(diff),
      reviewed_at: null,
      reviewed_by: null,
      review_comment: null,
      applied_at: null,
      failure: null,
    })
    .execute();
}

export async function updateChange(
  trx: Executor,
  id: string,
  values: Partial<
    Pick<ChangeColumns, 'status' | 'reviewed_at' | 'reviewed_by' | 'review_comment' | 'applied_at' | 'failure'>
  >,
): Promise<void> {
  await trx.updateTable('flag_changes').set(values).where('id', '=', id).execute();
}

export async function findWorkspaceOf(db: Executor, projectId: string): Promise<string | undefined> {
  const row = await db.selectFrom('projects').select('workspace_id').where('id', '=', projectId).executeTakeFirst();
  return row?.workspace_id;
}

/** The project of a change, to lock it before the change is read. */
export async function findProjectOf(db: Executor, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('flag_changes').select('project_id').where('id', '=', id).executeTakeFirst();
  return row?.project_id;
}
