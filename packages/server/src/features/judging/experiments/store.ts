import type { ExperimentDefinition, ExperimentPhase, MetricResult } from '@fanion/contract';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type {
  DayPoint,
  ExperimentResultTable,
  FrozenExperiment,
  KeptMetric,
  StoredReplay,
  StoredResults,
} from '../../../platform/postgres/schema.ts';
import { type Authored, authored, ResourceTable } from '../../identity/resources/index.ts';

export type ExperimentRow = Authored<'experiments'>;
export type ResultRow = Omit<Selectable<ExperimentResultTable>, 'results'> & { readonly results: StoredResults };

export interface ExperimentFilter {
  readonly state?: ExperimentRow['state'] | undefined;
  readonly flag?: string | undefined;
  readonly search?: string | undefined;
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

/** Its changes run where the project is locked. */
export const experiments = new ResourceTable<ExperimentRow, ExperimentChange>('experiments', {
  owner: 'project_id',
  json: ['definition', 'frozen', 'phases'],
  rows: (db) => authored(db, 'experiments'),
});

export function isListed({ state, flag, search }: ExperimentFilter): RawBuilder<boolean> {
  const conditions = [sql`TRUE`];
  if (state !== undefined) conditions.push(sql`r.state = ${state}`);
  if (flag !== undefined) conditions.push(sql`r.flag = ${flag}`);
  if (search !== undefined && search !== '')
    conditions.push(sql`strpos(lower(r.key || ' ' || r.name || ' ' || r.flag), lower(${search})) > 0`);
  return sql<boolean>`(${sql.join(conditions, sql` AND `)})`;
}

export async function findExperimentByKey(
  db: Executor,
  projectId: string,
  key: string,
): Promise<ExperimentRow | undefined> {
  return authored(db, 'experiments').where('r.project_id', '=', projectId).where('r.key', '=', key).executeTakeFirst();
}

/** Running experiments of an environment. */
export async function listRunning(db: Executor, environmentId: string): Promise<ExperimentRow[]> {
  return authored(db, 'experiments')
    .where('r.environment_id', '=', environmentId)
    .where('r.state', '=', 'running')
    .execute();
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

/** Experiments that were started, at places that exist. */
function started(db: Executor) {
  return authored(db, 'experiments')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .innerJoin('environments as e', 'e.id', 'r.environment_id')
    .select(['p.number as project_number', 'w.number as workspace_number'])
    .where('r.started_at', 'is not', null)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null);
}

/** Experiments that run, or stopped within the last hour, whose units were not kept since `before`; those that wait longest first. */
export async function listToPin(
  db: Executor,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<DueExperiment[]> {
  const rows = await started(db)
    .where(
      sql<boolean>`(r.state = 'running' OR r.stopped_at > coalesce(r.pinned_to, r.started_at) - interval '1 hour')`,
    )
    .where(sql<boolean>`(r.pinned_to IS NULL OR r.pinned_to < ${before})`)
    .orderBy(sql`r.pinned_to NULLS FIRST`)
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
  let query = started(db)
    .leftJoin('experiment_results as f', 'f.experiment_id', 'r.id')
    .where(
      sql<boolean>`(f.computed_at IS NULL OR (NOT f.frozen AND (f.computed_at < ${before} OR r.stopped_at < ${stoppedBefore})))`,
    )
    .orderBy(sql`f.computed_at NULLS FIRST`)
    .limit(limit);
  if (except.length > 0) query = query.where('r.id', 'not in', [...except]);
  const rows = await query.execute();
  return rows.map(({ project_number, workspace_number, ...row }) => ({
    row,
    place: { workspace: workspace_number, project: project_number },
  }));
}
