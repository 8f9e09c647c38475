import { isId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { RampRow } from '../flags/index.ts';

/** The active ramp, else the last one. */
export async function findRamp(db: Executor, flagId: string, environmentId: string): Promise<RampRow | undefined> {
  return db
    .selectFrom('flag_ramps')
    .selectAll()
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId)
    .executeTakeFirst();
}

export interface RampFilter {
  readonly state?: 'active' | 'ended' | undefined;
  /** By id or key. */
  readonly environment?: string | undefined;
  /** By key. */
  readonly flag?: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Of flags that are not archived, newest first; one more than `limit` if there are more. */
export async function listRamps(
  db: Executor,
  projectId: string,
  { state, environment, flag, after, limit }: RampFilter,
): Promise<(RampRow & { readonly flag: string; readonly environment: string; readonly starter: string | null })[]> {
  let query = db
    .selectFrom('flag_ramps as r')
    .innerJoin('flags as f', 'f.id', 'r.flag_id')
    .innerJoin('environments as e', 'e.id', 'r.environment_id')
    .leftJoin('users as u', 'u.id', 'r.started_by')
    .selectAll('r')
    .select(['f.key as flag', 'e.key as environment', 'u.name as starter'])
    .where('f.project_id', '=', projectId)
    .where('f.archived', '=', false)
    .where('e.deleted_at', 'is', null)
    .orderBy('r.id', 'desc')
    .limit(limit + 1);
  if (state !== undefined) query = query.where('r.status', state === 'active' ? 'in' : 'not in', ['running', 'paused']);
  if (environment !== undefined)
    query = isId(environment) ? query.where('e.id', '=', environment) : query.where('e.key', '=', environment);
  if (flag !== undefined) query = query.where('f.key', '=', flag);
  if (after !== undefined) query = query.where('r.id', '<', after);
  return query.execute();
}

/** Replaces a ramp that has ended. */
export async function saveNewRamp(trx: Executor, ramp: RampRow): Promise<void> {
  const { flag_id: _, environment_id: __, ...rest } = ramp;
  const values = { ...rest, steps: JSON.stringify(ramp.steps) };
  await trx
    .insertInto('flag_ramps')
    .values({ flag_id: ramp.flag_id, environment_id: ramp.environment_id, ...values })
    .onConflict((conflict) => conflict.columns(['flag_id', 'environment_id']).doUpdateSet(values))
    .execute();
}

export async function updateRamp(
  trx: Executor,
  id: string,
  values: Partial<Pick<RampRow, 'status' | 'step' | 'step_started_at' | 'held_ms' | 'run' | 'ended_at'>>,
): Promise<RampRow> {
  return trx.updateTable('flag_ramps').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** The place of a ramp, to lock its project before the ramp is read. */
export async function findPlaceOf(
  db: Executor,
  rampId: string,
): Promise<
  { flag: string; flag_id: string; environment_id: string; project_id: string; workspace_id: string } | undefined
> {
  return db
    .selectFrom('flag_ramps as r')
    .innerJoin('flags as f', 'f.id', 'r.flag_id')
    .innerJoin('projects as p', 'p.id', 'f.project_id')
    .innerJoin('environments as e', 'e.id', 'r.environment_id')
    .select(['f.key as flag', 'f.id as flag_id', 'r.environment_id', 'f.project_id', 'p.workspace_id'])
    .where('r.id', '=', rampId)
    .where('f.archived', '=', false)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .executeTakeFirst();
}
