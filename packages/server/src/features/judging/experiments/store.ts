import type { ExperimentDefinition, ExperimentPhase, MetricResult } from '@fanion/contract';
import { type Selectable, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type {
  DayPoint,
  ExperimentResultTable,
  ExperimentTable,
  FrozenExperiment,
  KeptMetric,
  StoredReplay,
  StoredResults,
} from '../../../platform/postgres/schema.ts';

export type ExperimentRow = Selectable<ExperimentTable> & { readonly created_by_name: string | null };
export type ResultRow = Omit<Selectable<ExperimentResultTable>, 'results'> & { readonly results: StoredResults };

function experiments(db: Executor) {
  return db
    .selectFrom('experiments as x')
    .leftJoin('users as u', 'u.id', 'x.created_by')
    .selectAll('x')
    .select('u.name as created_by_name');
}

export interface ExperimentFilter {
  readonly state: ExperimentRow['state'] | undefined;
  readonly flag: string | undefined;
  readonly search: string | undefined;
}

/** Newest first. */
export async function listExperiments(
  db: Executor,
  projectId: string,
  { state, flag, search }: ExperimentFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ExperimentRow[]> {
  let query = experiments(db).where('x.project_id', '=', projectId).orderBy('x.id', 'desc').limit(limit);
  if (after !== undefined) query = query.where('x.id', '<', after);
  if (state !== undefined) query = query.where('x.state', '=', state);
  if (flag !== undefined) query = query.where('x.flag', '=', flag);
  if (search !== undefined && search !== '')
    query = query.where(sql<boolean>`strpos(lower(x.key || ' ' || x.name || ' ' || x.flag), lower(${search})) > 0`);
  return query.execute();
}

export async function findExperiment(db: Executor, projectId: string, id: string): Promise<ExperimentRow | undefined> {
  return experiments(db).where('x.project_id', '=', projectId).where('x.id', '=', id).executeTakeFirst();
}

export async function findExperimentByKey(
  db: Executor,
  projectId: string,
  key: string,
): Promise<ExperimentRow | undefined> {
  return experiments(db).where('x.project_id', '=', projectId).where('x.key', '=', key).executeTakeFirst();
}

/** Running experiments of an environment. */
export async function listRunning(db: Executor, environmentId: string): Promise<ExperimentRow[]> {
  return experiments(db).where('x.environment_id', '=', environmentId).where('x.state', '=', 'running').execute();
}

export async function countExperiments(db: Executor, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('experiments')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** False: the key is taken. */
export async function insertExperiment(
  trx: Executor,
  row: {
    readonly id: string;
    readonly project_id: string;
    readonly environment_id: string;
    readonly environment: string;
    readonly flag_id: string;
    readonly flag: string;
    readonly key: string;
    readonly name: string;
    readonly definition: ExperimentDefinition;
    readonly created_by: string;
    readonly created_at: Date;
  },
): Promise<boolean> {
  const inserted = await trx
    .insertInto('experiments')
    .values({ ...row, definition: JSON.stringify(row.definition), state: 'draft', updated_at: row.created_at })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export type ExperimentChange = Partial<
  Pick<
    ExperimentRow,
    | 'environment_id'
    | 'environment'
    | 'flag_id'
    | 'flag'
    | 'name'
    | 'state'
    | 'started_at'
    | 'stopped_at'
    | 'winner'
    | 'winner_change_id'
  >
> & {
  readonly definition?: ExperimentDefinition;
  readonly frozen?: FrozenExperiment;
  readonly phases?: readonly ExperimentPhase[];
};

/** Writes a change as the next version. The caller has the project locked. */
export async function updateExperiment(
  trx: Executor,
  id: string,
  { definition, frozen, phases, ...change }: ExperimentChange,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('experiments')
    .set({
      ...change,
      ...(definition !== undefined && { definition: JSON.stringify(definition) }),
      ...(frozen !== undefined && { frozen: JSON.stringify(frozen) }),
      ...(phases !== undefined && { phases: JSON.stringify(phases) }),
      version: sql`version + 1`,
      updated_at: now,
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteExperiment(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('experiments').where('id', '=', id).execute();
}

/** Status of the change that serves a winner. */
export async function findChangeStatus(db: Executor, id: string): Promise<string | undefined> {
  return (await db.selectFrom('flag_changes').select('status').where('id', '=', id).executeTakeFirst())?.status;
}

export async function findResults(db: Executor, experimentId: string): Promise<ResultRow | undefined> {
  const row = await db
    .selectFrom('experiment_results')
    .selectAll()
    .where('experiment_id', '=', experimentId)
    .executeTakeFirst();
  return row && { ...row, results: { ...row.results, metrics: row.results.metrics.map(withFlatMetric) } };
}

/** Results that were kept by earlier versions have the names of a metric in an object. */
function withFlatMetric(kept: KeptMetric): MetricResult {
  if (isFlat(kept)) return kept;
  const { id, ...names } = kept.metric;
  return { ...kept, ...names, metric: id };
}

function isFlat(kept: KeptMetric): kept is MetricResult {
  return typeof kept.metric === 'string';
}

/** Keeps results, unless newer or frozen ones are kept already. */
export async function saveResults(
  db: Executor,
  experimentId: string,
  {
    at,
    frozen,
    results,
    day,
    points,
  }: {
    readonly at: Date;
    readonly frozen: boolean;
    readonly results: StoredResults;
    readonly day: string;
    readonly points: readonly DayPoint[];
  },
): Promise<void> {
  const values = { computed_at: at, frozen, results: JSON.stringify(results) };
  await db
    .insertInto('experiment_results')
    .values({ experiment_id: experimentId, ...values })
    .onConflict((conflict) =>
      conflict
        .column('experiment_id')
        .doUpdateSet(values)
        .where('experiment_results.frozen', '=', false)
        .where('experiment_results.computed_at', '<=', at),
    )
    .execute();
  const told = { computed_at: at, points: JSON.stringify(points) };
  await db
    .insertInto('experiment_days')
    .values({ experiment_id: experimentId, day, ...told })
    .onConflict((conflict) =>
      conflict.columns(['experiment_id', 'day']).doUpdateSet(told).where('experiment_days.computed_at', '<=', at),
    )
    .execute();
}

export async function listDays(
  db: Executor,
  experimentId: string,
): Promise<{ day: string; points: readonly DayPoint[] }[]> {
  return db
    .selectFrom('experiment_days')
    .select([sql<string>`to_char(day, 'YYYY-MM-DD')`.as('day'), 'points'])
    .where('experiment_id', '=', experimentId)
    .orderBy('day')
    .execute();
}

/** Experiments that run, or stopped within the last hour, whose units were not kept since `before`; those that wait longest first. */
export async function listToPin(
  db: Executor,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<DueExperiment[]> {
  const rows = await experiments(db)
    .innerJoin('projects as p', 'p.id', 'x.project_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .innerJoin('environments as e', 'e.id', 'x.environment_id')
    .select(['p.number as project_number', 'w.number as workspace_number'])
    .where('x.started_at', 'is not', null)
    .where(
      sql<boolean>`(x.state = 'running' OR x.stopped_at > coalesce(x.pinned_to, x.started_at) - interval '1 hour')`,
    )
    .where(sql<boolean>`(x.pinned_to IS NULL OR x.pinned_to < ${before})`)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .orderBy(sql`x.pinned_to NULLS FIRST`)
    .limit(limit)
    .execute();
  return rows.map(({ project_number, workspace_number, ...row }) => ({
    row,
    place: { workspace: workspace_number, project: project_number },
  }));
}

/** Keeps a replay, unless the draft was changed or started meanwhile. It is no new version of the experiment. */
export async function saveReplay(
  db: Executor,
  { id, version }: Pick<ExperimentRow, 'id' | 'version'>,
  { salt, replay }: Omit<StoredReplay, 'version'>,
): Promise<void> {
  await db
    .updateTable('experiments')
    .set({ salt, replay: JSON.stringify({ version, salt, replay }) })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('state', '=', 'draft')
    .execute();
}

/** It is no new version of the experiment. */
export async function markPinned(db: Executor, id: string, at: Date): Promise<void> {
  await db.updateTable('experiments').set({ pinned_to: at }).where('id', '=', id).execute();
}

export interface DueExperiment {
  readonly row: ExperimentRow;
  readonly place: ResultPlace;
}
/** Where results are read. */
export interface ResultPlace {
  readonly workspace: number;
  readonly project: number;
}

/**
 * Experiments that were started whose results are not frozen: those without any, with ones older than `before`, and those that
 * stopped before `stoppedBefore`. Not those of `except`.
 */
export async function listDue(
  db: Executor,
  {
    before,
    stoppedBefore,
    except,
    limit,
  }: {
    readonly before: Date;
    readonly stoppedBefore: Date;
    readonly except: readonly string[];
    readonly limit: number;
  },
): Promise<DueExperiment[]> {
  let query = experiments(db)
    .innerJoin('projects as p', 'p.id', 'x.project_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .innerJoin('environments as e', 'e.id', 'x.environment_id')
    .leftJoin('experiment_results as r', 'r.experiment_id', 'x.id')
    .select(['p.number as project_number', 'w.number as workspace_number'])
    .where('x.started_at', 'is not', null)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .where(
      sql<boolean>`(r.computed_at IS NULL OR (NOT r.frozen AND (r.computed_at < ${before} OR x.stopped_at < ${stoppedBefore})))`,
    )
    .orderBy(sql`r.computed_at NULLS FIRST`)
    .limit(limit);
  if (except.length > 0) query = query.where('x.id', 'not in', [...except]);
  const rows = await query.execute();
  return rows.map(({ project_number, workspace_number, ...row }) => ({
    row,
    place: { workspace: workspace_number, project: project_number },
  }));
}
