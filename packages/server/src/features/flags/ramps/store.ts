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
