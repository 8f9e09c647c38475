import { type Selectable, sql } from 'kysely';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FlagRampTable, FlagTable } from '../../../platform/postgres/schema.ts';
import type { EnvironmentRow } from '../../change-kind.ts';
import type { TargetingConfig } from './rules.ts';
import type { RampState } from './serve.ts';

export type FlagRow = Selectable<FlagTable>;
export interface TargetingRow {
  readonly flag_id: string;
  readonly environment_id: string;
  readonly config: TargetingConfig;
  readonly salt: string;
  readonly segments: string[];
  readonly version: number;
  readonly flag_version: number;
  readonly updated_at: Date;
  readonly updated_by: string | null;
}

/** Flags of a project by key; `search` matches key, name and description. */
export async function listFlags(
  db: Executor,
  projectId: string,
  options: {
    search: string | undefined;
    tag: string | undefined;
    archived: boolean;
    after: string | undefined;
    limit: number;
  },
): Promise<FlagRow[]> {
  const { search, tag, archived, after, limit } = options;
  let query = db
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('archived', '=', archived)
    .orderBy(sql`key COLLATE "C"`)
    .limit(limit);
  if (after !== undefined) query = query.where(sql<boolean>`key COLLATE "C" > ${after}`);
  if (tag !== undefined) query = query.where(sql<boolean>`${tag} = ANY(tags)`);
  if (search !== undefined && search !== '')
    query = query.where(sql<boolean>`strpos(lower(key || ' ' || name || ' ' || description), lower(${search})) > 0`);
  return query.execute();
}

export async function findFlag(db: Executor, projectId: string, key: string): Promise<FlagRow | undefined> {
  return db
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .executeTakeFirst();
}

export async function findFlags(db: Executor, projectId: string, keys: readonly string[]): Promise<FlagRow[]> {
  return db
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(sql<boolean>`key = ANY(${sql<string[]>`${keys}::text[]`})`)
    .execute();
}

export async function countFlags(db: Executor, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('flags')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('archived', '=', false)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Returns those that were inserted; the keys of the others are taken. */
export async function insertFlags(
  trx: Executor,
  flags: readonly Omit<FlagRow, 'archived' | 'version' | 'serve_version' | 'prerequisites' | 'updated_at'>[],
): Promise<FlagRow[]> {
  const rows = flags.map((flag) => ({
    ...flag,
    variants: JSON.stringify(flag.variants),
    metadata: JSON.stringify(flag.metadata),
    updated_at: flag.created_at,
  }));
  return trx
    .insertInto('flags')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .returningAll()
    .execute();
}

export async function findTargeting(
  db: Executor,
  flagIds: readonly string[],
  environmentIds: readonly string[],
): Promise<TargetingRow[]> {
  if (flagIds.length === 0 || environmentIds.length === 0) return [];
  const rows = await db
    .selectFrom('flag_targeting')
    .selectAll()
    .where('flag_id', 'in', flagIds)
    .where('environment_id', 'in', environmentIds)
    .execute();
  return rows.map((row) => ({ ...row, config: row.config as TargetingConfig }));
}

/** Each of another flag or environment. */
export async function saveTargetings(trx: Executor, rows: readonly TargetingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .insertInto('flag_targeting')
    .values(rows.map(({ config, ...rest }) => ({ ...rest, config: JSON.stringify(config) })))
    .onConflict((conflict) =>
      conflict.columns(['flag_id', 'environment_id']).doUpdateSet(({ ref }) => ({
        config: ref('excluded.config'),
        segments: ref('excluded.segments'),
        version: ref('excluded.version'),
        flag_version: ref('excluded.flag_version'),
        updated_at: ref('excluded.updated_at'),
        updated_by: ref('excluded.updated_by'),
      })),
    )
    .execute();
}

/** Environments of a project, in the order of their creation. */
export async function listEnvironments(db: Executor, projectId: string): Promise<EnvironmentRow[]> {
  return db
    .selectFrom('environments')
    .select(['id', 'key', 'name', 'requires_approval'])
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** @param named its id or its key */
export async function findEnvironment(
  db: Executor,
  projectId: string,
  named: string,
): Promise<EnvironmentRow | undefined> {
  return (await listEnvironments(db, projectId)).find(({ id, key }) => id === named || key === named);
}

/**
 * Locks a project until the transaction ends. This serializes changes of flags, segments and targeting, so that two
 * writes cannot create a cycle together, use what is being deleted, or deadlock. Throws `NOT_FOUND` if the project was
 * removed.
 */
export async function lockProject(trx: Executor, projectId: string): Promise<void> {
  const row = await trx
    .selectFrom('projects')
    .select('id')
    .where('id', '=', projectId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw fail('NOT_FOUND', { resource: 'project' });
}

/** Names of users, for "changed by". */
export async function findUserNames(db: Executor, ids: readonly (string | null)[]): Promise<Map<string, string>> {
  const known = [...new Set(ids)].filter((id) => id !== null);
  if (known.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(['id', 'name']).where('id', 'in', known).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Keys, variants and prerequisites of a project's flags that are not archived. */
export async function listFlagFacts(
  db: Executor,
  projectId: string,
): Promise<Pick<FlagRow, 'id' | 'key' | 'variants' | 'prerequisites'>[]> {
  return db
    .selectFrom('flags')
    .select(['id', 'key', 'variants', 'prerequisites'])
    .where('project_id', '=', projectId)
    .where('archived', '=', false)
    .orderBy('key')
    .execute();
}

export async function listSegmentKeys(db: Executor, projectId: string): Promise<Set<string>> {
  const rows = await db.selectFrom('segments').select('key').where('project_id', '=', projectId).execute();
  return new Set(rows.map(({ key }) => key));
}

export type FlagChangeOfAll = Partial<
  Pick<
    FlagRow,
    | 'name'
    | 'description'
    | 'variants'
    | 'default_variant'
    | 'off_variant'
    | 'tags'
    | 'temporary'
    | 'metadata'
    | 'client_visible'
    | 'archived'
    | 'prerequisites'
  >
>;

/** Writes the properties common to all environments; `serves`: evaluations are affected. */
export async function updateFlag(
  trx: Executor,
  flag: FlagRow,
  change: FlagChangeOfAll,
  { serves, now }: { serves: boolean; now: Date },
): Promise<FlagRow> {
  const { variants, metadata, prerequisites, ...plain } = change;
  return trx
    .updateTable('flags')
    .set({
      ...plain,
      ...(variants !== undefined && { variants: JSON.stringify(variants) }),
      ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
      ...(prerequisites !== undefined && { prerequisites: JSON.stringify(prerequisites) }),
      version: flag.version + 1,
      serve_version: flag.serve_version + (serves ? 1 : 0),
      updated_at: now,
    })
    .where('id', '=', flag.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteFlag(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('flags').where('id', '=', id).execute();
}

export type RampRow = Selectable<FlagRampTable>;

export function rampState(ramp: RampRow): RampState {
  const { variant, bucket_by, steps, step } = ramp;
  return { variant, bucket_by, weight: steps[step]?.weight ?? 0 };
}

/** Ramps that have not ended, of a project or of one flag. */
export async function findActiveRamps(
  db: Executor,
  where: { flagIds: readonly string[]; environmentIds?: readonly string[] },
): Promise<RampRow[]> {
  if (where.flagIds.length === 0) return [];
  let query = db
    .selectFrom('flag_ramps')
    .selectAll()
    .where('status', 'in', ['running', 'paused'])
    .where(sql<boolean>`flag_id = ANY(${sql<string[]>`${where.flagIds}::uuid[]`})`);
  const { environmentIds } = where;
  if (environmentIds !== undefined)
    query = query.where(sql<boolean>`environment_id = ANY(${sql<string[]>`${environmentIds}::uuid[]`})`);
  return query.execute();
}

/** Ends all ramps of a flag that is no longer served. */
export async function endRamps(trx: Executor, flagId: string, now: Date): Promise<void> {
  await trx
    .updateTable('flag_ramps')
    .set({ status: 'aborted', ended_at: now })
    .where('flag_id', '=', flagId)
    .where('status', 'in', ['running', 'paused'])
    .execute();
}

/** Pauses the running ramp of a flag at its step; a person must resume it. */
export async function pauseRamp(trx: Executor, flagId: string, environmentId: string, now: Date): Promise<void> {
  await trx
    .updateTable('flag_ramps')
    .set({
      status: 'paused',
      held_ms: sql<number>`held_ms + greatest(0, extract(epoch FROM ${now}::timestamptz - step_started_at) * 1000)::bigint`,
    })
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId)
    .where('status', '=', 'running')
    .execute();
}
