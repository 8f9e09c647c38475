import type { Clause, Rollout } from '@fanion/flag-engine';
import { type Selectable, sql } from 'kysely';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FlagHoldTable } from '../../../platform/postgres/schema.ts';

/** What serves the fallthrough of a flag in an environment in place of its targeting. */
export type HoldRow = Omit<Selectable<FlagHoldTable>, 'rollout' | 'clauses'> & {
  readonly rollout: Rollout;
  /** Who gets the rollout; the others get the targeting's fallthrough. Empty: everybody. */
  readonly clauses: readonly Clause[];
};

/** Holds of flags; of one environment, or of all that were not removed. */
export async function findHolds(
  db: Executor,
  where: { readonly flagIds: readonly string[]; readonly environmentIds?: readonly string[] },
): Promise<HoldRow[]> {
  if (where.flagIds.length === 0) return [];
  const ids = sql<string[]>`${where.flagIds}::uuid[]`;
  let query = db
    .selectFrom('flag_holds as h')
    .innerJoin('environments as e', 'e.id', 'h.environment_id')
    .selectAll('h')
    .where(sql<boolean>`h.flag_id = ANY(${ids})`)
    .where('e.deleted_at', 'is', null);
  const { environmentIds } = where;
  if (environmentIds !== undefined)
    query = query.where(sql<boolean>`h.environment_id = ANY(${sql<string[]>`${environmentIds}::uuid[]`})`);
  return (await query.execute()).map((row) => ({
    ...row,
    rollout: row.rollout as Rollout,
    clauses: row.clauses as readonly Clause[],
  }));
}

/** Takes the fallthrough, or changes what its holder serves. The caller has the project locked. */
export async function saveHold(trx: Executor, { rollout, clauses, ...hold }: HoldRow): Promise<void> {
  const served = { rollout: JSON.stringify(rollout), clauses: JSON.stringify(clauses) };
  const values = { ...hold, ...served };
  await trx
    .insertInto('flag_holds')
    .values(values)
    .onConflict((conflict) => conflict.columns(['flag_id', 'environment_id']).doUpdateSet(served))
    .execute();
}

export async function deleteHold(trx: Executor, flagId: string, environmentId: string): Promise<void> {
  await trx
    .deleteFrom('flag_holds')
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId)
    .execute();
}

/** Flags, among these, with a guarded release that is armed or runs. */
export async function findArmedFlags(trx: Executor, flagIds: readonly string[]): Promise<Set<string>> {
  if (flagIds.length === 0) return new Set();
  const rows = await trx
    .selectFrom('guarded_releases')
    .select('flag_id')
    .where(sql<boolean>`flag_id = ANY(${sql<string[]>`${flagIds}::uuid[]`})`)
    .where('state', 'in', ['armed', 'monitoring'])
    .execute();
  return new Set(rows.map(({ flag_id }) => flag_id));
}

/**
 * Ends the guarded releases of a flag in one environment, or in all: a person has edited the flag, so that what is measured
 * is no longer what was armed.
 */
export async function disarmGuardedReleases(
  trx: Executor,
  { flagId, environmentId }: { readonly flagId: string; readonly environmentId?: string },
  reason: string,
  now: Date,
): Promise<void> {
  let update = trx
    .updateTable('guarded_releases')
    .set({ state: 'disarmed', ended_at: now, ended_reason: reason, paused_reason: null, updated_at: now })
    .where('flag_id', '=', flagId)
    .where('state', 'in', ['armed', 'monitoring']);
  if (environmentId !== undefined) update = update.where('environment_id', '=', environmentId);
  const ended = await update.returning(['id', 'environment_id', 'run', 'looks', 'step']).execute();
  for (const { id, environment_id, run, looks, step } of ended) {
    await deleteHold(trx, flagId, environment_id);
    await trx
      .insertInto('guarded_release_events')
      .values({
        id: newId(now.getTime()),
        release_id: id,
        at: now,
        run,
        look: looks,
        kind: 'disarmed',
        step,
        weight: 0,
        reason,
        numbers: null,
      })
      .execute();
  }
}
