import type { GuardedContrast, GuardedLook } from '@fanion/contract';
import { type Selectable, sql } from 'kysely';
import { isId, newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type {
  FrozenGuards,
  GuardedDefinition,
  GuardedReleaseEventTable,
  GuardedReleaseTable,
} from '../../../platform/postgres/schema.ts';

export type ReleaseRow = Selectable<GuardedReleaseTable>;
export type EventRow = Selectable<GuardedReleaseEventTable>;

/** Looks that are kept of a release; decisions are kept for good. */
const looksKept = 5_000;

export async function findRelease(
  db: Executor,
  flagId: string,
  environmentId: string,
): Promise<ReleaseRow | undefined> {
  return db
    .selectFrom('guarded_releases')
    .selectAll()
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId)
    .executeTakeFirst();
}

export interface ReleaseFilter {
  readonly state?: 'draft' | 'active' | 'ended' | undefined;
  /** By id or key. */
  readonly environment?: string | undefined;
  readonly flag?: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

const statesOf = {
  draft: ['draft'],
  active: ['armed', 'monitoring'],
  ended: ['completed', 'rolled_back', 'disarmed'],
} as const;

/** Of flags that are not archived, newest first; one more than `limit` if there are more. */
export async function listReleases(
  db: Executor,
  projectId: string,
  { state, environment, flag, after, limit }: ReleaseFilter,
): Promise<(ReleaseRow & { readonly flag: string; readonly environment: string; readonly armer: string | null })[]> {
  let query = db
    .selectFrom('guarded_releases as r')
    .innerJoin('flags as f', 'f.id', 'r.flag_id')
    .innerJoin('environments as e', 'e.id', 'r.environment_id')
    .leftJoin('users as u', 'u.id', 'r.armed_by')
    .selectAll('r')
    .select(['f.key as flag', 'e.key as environment', 'u.name as armer'])
    .where('f.project_id', '=', projectId)
    .where('f.archived', '=', false)
    .where('e.deleted_at', 'is', null)
    .orderBy('r.id', 'desc')
    .limit(limit + 1);
  if (state !== undefined) query = query.where('r.state', 'in', statesOf[state]);
  if (environment !== undefined)
    query = isId(environment) ? query.where('e.id', '=', environment) : query.where('e.key', '=', environment);
  if (flag !== undefined) query = query.where('f.key', '=', flag);
  if (after !== undefined) query = query.where('r.id', '<', after);
  return query.execute();
}

/** A release with its place; undefined if the flag is archived, or a part of the place was removed. */
export async function findReleasePlace(db: Executor, id: string) {
  return db
    .selectFrom('guarded_releases as r')
    .innerJoin('flags as f', 'f.id', 'r.flag_id')
    .innerJoin('projects as p', 'p.id', 'f.project_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .innerJoin('environments as e', 'e.id', 'r.environment_id')
    .selectAll('r')
    .select([
      'f.key as flag',
      'f.project_id',
      'p.number as project_number',
      'p.key as project',
      'p.workspace_id',
      'w.number as workspace_number',
      'w.slug as workspace',
      'e.key as environment',
    ])
    .where('r.id', '=', id)
    .where('f.archived', '=', false)
    .where('p.deleted_at', 'is', null)
    .where('w.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .executeTakeFirst();
}
export type PlacedRelease = NonNullable<Awaited<ReturnType<typeof findReleasePlace>>>;

/** Writes a definition: a new release, or a draft in place of one that has ended. Its events stay. */
export async function saveDefinition(
  trx: Executor,
  row: {
    readonly flag_id: string;
    readonly environment_id: string;
    readonly id: string;
    readonly definition: GuardedDefinition;
    readonly created_by: string;
    readonly now: Date;
  },
): Promise<ReleaseRow> {
  const { now, definition, ...rest } = row;
  const written = {
    definition: JSON.stringify(definition),
    frozen: null,
    state: 'draft' as const,
    step: 0,
    step_started_at: null,
    looks: 0,
    last_look: null,
    looked_at: null,
    paused_reason: null,
    unsure_since: null,
    asked_at: null,
    watched_since: null,
    told_holds: [],
    armed_at: null,
    armed_by: null,
    ended_at: null,
    ended_reason: null,
    updated_at: now,
  };
  return trx
    .insertInto('guarded_releases')
    .values({ ...rest, ...written, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['flag_id', 'environment_id'])
        .doUpdateSet({ ...written, version: sql`guarded_releases.version + 1` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteRelease(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('guarded_releases').where('id', '=', id).execute();
}

export interface Armed {
  readonly frozen: FrozenGuards;
  readonly by: string | null;
  readonly now: Date;
}

/** Begins a run at its first step. */
export async function saveArmed(trx: Executor, id: string, { frozen, by, now }: Armed): Promise<ReleaseRow> {
  return trx
    .updateTable('guarded_releases')
    .set({
      state: 'armed',
      run: sql`run + 1`,
      frozen: JSON.stringify(frozen),
      step: 0,
      step_started_at: now,
      looks: 0,
      last_look: null,
      looked_at: null,
      paused_reason: null,
      unsure_since: null,
      asked_at: null,
      watched_since: null,
      told_holds: [],
      armed_at: now,
      armed_by: by,
      ended_at: null,
      ended_reason: null,
      updated_at: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Continues a release with what a person has accepted. One that was paused holds its step again from the start. */
export async function saveContinued(
  trx: Executor,
  { id, frozen, paused_reason, step_started_at }: ReleaseRow,
  accepted: Pick<FrozenGuards, 'accepted' | 'passed'>,
  now: Date,
): Promise<ReleaseRow> {
  return trx
    .updateTable('guarded_releases')
    .set({
      paused_reason: null,
      unsure_since: null,
      asked_at: null,
      told_holds: [],
      step_started_at: paused_reason === null ? step_started_at : now,
      frozen: JSON.stringify({ ...frozen, ...accepted }),
      updated_at: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Everybody gets the variant from now on, which is compared with what the control has measured. */
export async function saveWatched(
  trx: Executor,
  { id, frozen }: Pick<ReleaseRow, 'id' | 'frozen'>,
  baseline: FrozenGuards['baseline'],
  now: Date,
): Promise<ReleaseRow> {
  return trx
    .updateTable('guarded_releases')
    .set({
      state: 'monitoring',
      watched_since: now,
      frozen: JSON.stringify({ ...frozen, baseline }),
      unsure_since: null,
      asked_at: null,
      told_holds: [],
      updated_at: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type ReleaseChange = Partial<
  Pick<
    ReleaseRow,
    | 'state'
    | 'step'
    | 'step_started_at'
    | 'paused_reason'
    | 'ended_at'
    | 'ended_reason'
    | 'unsure_since'
    | 'asked_at'
    | 'told_holds'
  >
>;

export async function updateRelease(trx: Executor, id: string, change: ReleaseChange, now: Date): Promise<ReleaseRow> {
  return trx
    .updateTable('guarded_releases')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Counts a look; null: nothing could be measured. Undefined if the release is no longer in the state that the look saw: another replica has looked meanwhile, or a
 * person has ended it.
 */
export async function countLook(
  trx: Executor,
  seen: Pick<ReleaseRow, 'id' | 'run' | 'looks' | 'step'>,
  look: GuardedLook | null,
  now: Date,
): Promise<ReleaseRow | undefined> {
  return trx
    .updateTable('guarded_releases')
    .set({ looks: seen.looks + 1, looked_at: now, ...(look !== null && { last_look: JSON.stringify(look) }) })
    .where('id', '=', seen.id)
    .where('run', '=', seen.run)
    .where('looks', '=', seen.looks)
    .where('step', '=', seen.step)
    .where('state', 'in', ['armed', 'monitoring'])
    .returningAll()
    .executeTakeFirst();
}

export async function insertEvent(
  trx: Executor,
  release: Pick<ReleaseRow, 'id' | 'run' | 'looks' | 'step'>,
  event: {
    readonly kind: string;
    readonly weight: number;
    readonly reason: string;
    readonly look: GuardedLook | null;
    readonly now: Date;
  },
): Promise<void> {
  await trx
    .insertInto('guarded_release_events')
    .values({
      id: newId(event.now.getTime()),
      release_id: release.id,
      at: event.now,
      run: release.run,
      look: release.looks,
      kind: event.kind,
      step: release.step,
      weight: event.weight,
      reason: event.reason,
      numbers: event.look === null ? null : JSON.stringify(event.look),
    })
    .execute();
}

/** Keeps what the failing rows of the rollback of a run have in common. */
export async function saveContrast(
  db: Executor,
  { id, run }: Pick<ReleaseRow, 'id' | 'run'>,
  contrast: GuardedContrast,
): Promise<void> {
  await db
    .updateTable('guarded_release_events')
    .set({ contrast: JSON.stringify(contrast) })
    .where('release_id', '=', id)
    .where('run', '=', run)
    .where('kind', '=', 'rolled_back')
    .execute();
}

/** Newest first. */
export async function listEvents(
  db: Executor,
  releaseId: string,
  { decisions, after, limit }: { decisions: boolean; after: string | undefined; limit: number },
): Promise<EventRow[]> {
  let query = db
    .selectFrom('guarded_release_events')
    .selectAll()
    .where('release_id', '=', releaseId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (decisions) query = query.where('kind', 'not in', ['look', 'hold', 'held']);
  if (after !== undefined) query = query.where('id', '<', after);
  return query.execute();
}

/** Deletes the oldest looks of a release. */
export async function pruneLooks(trx: Executor, release: Pick<ReleaseRow, 'id' | 'run' | 'looks'>): Promise<void> {
  if (release.looks % 100 !== 0) return;
  await trx
    .deleteFrom('guarded_release_events')
    .where('release_id', '=', release.id)
    .where('kind', 'in', ['look', 'hold', 'held'])
    .where((eb) => eb.or([eb('run', '<', release.run), eb('look', '<=', release.looks - looksKept)]))
    .execute();
}
