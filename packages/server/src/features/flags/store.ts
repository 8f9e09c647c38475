import { type Selectable, sql } from 'kysely';
import { appendOutbox } from '../../platform/outbox/index.ts';
import type { Executor } from '../../platform/postgres/database.ts';
import type { FlagTable } from '../../platform/postgres/schema.ts';
import type { TargetingConfig } from './rules.ts';

export type FlagRow = Selectable<FlagTable>;
export interface TargetingRow {
  readonly flag_id: string;
  readonly environment_id: string;
  readonly config: TargetingConfig;
  readonly salt: string;
  readonly version: number;
  readonly flag_version: number;
  readonly updated_at: Date;
  readonly updated_by: string | null;
}

/** Outbox topic; key: the id of the environment whose ruleset has a newer version. */
export const rulesetChanged = 'rulesets.changed';

/** Flags of a project by key; `search` is looked for in key, name and description. */
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

/** Holds a flag until the transaction ends: its writers come one after another. */
export async function lockFlag(trx: Executor, projectId: string, key: string): Promise<FlagRow | undefined> {
  return trx
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst();
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

/** Undefined: the key is taken. */
export async function insertFlag(
  trx: Executor,
  flag: Omit<FlagRow, 'archived' | 'version' | 'updated_at' | 'variants'> & { variants: FlagRow['variants'] },
): Promise<FlagRow | undefined> {
  return trx
    .insertInto('flags')
    .values({ ...flag, variants: JSON.stringify(flag.variants), updated_at: flag.created_at })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doNothing())
    .returningAll()
    .executeTakeFirst();
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

export async function saveTargeting(trx: Executor, row: TargetingRow): Promise<void> {
  const { config, ...rest } = row;
  const written = { ...rest, config: JSON.stringify(config) };
  await trx
    .insertInto('flag_targeting')
    .values(written)
    .onConflict((conflict) =>
      conflict
        .columns(['flag_id', 'environment_id'])
        .doUpdateSet({
          config: written.config,
          version: row.version,
          flag_version: row.flag_version,
          updated_at: row.updated_at,
          updated_by: row.updated_by,
        }),
    )
    .execute();
}

export interface EnvironmentRow {
  readonly id: string;
  readonly key: string;
}

/** Environments of a project, in the order they were made. */
export async function listEnvironments(db: Executor, projectId: string): Promise<EnvironmentRow[]> {
  return db
    .selectFrom('environments')
    .select(['id', 'key'])
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

/**
 * One effective change: the environments' rulesets get their next version, and every replica is told. In the order of
 * ids, so that two changes never wait for each other crosswise.
 */
export async function bumpRulesets(trx: Executor, environmentIds: readonly string[], now: Date): Promise<void> {
  const ids = [...environmentIds].sort();
  if (ids.length === 0) return;
  await trx
    .insertInto('rulesets')
    .values(ids.map((environment_id) => ({ environment_id, version: 1, updated_at: now })))
    .onConflict((conflict) =>
      conflict.column('environment_id').doUpdateSet({ version: sql`rulesets.version + 1`, updated_at: now }),
    )
    .execute();
  await appendOutbox(trx, ...ids.map((id) => ({ topic: rulesetChanged, key: id, payload: {} })));
}

/** Names of users, for "changed by". */
export async function findUserNames(db: Executor, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export interface RulesetRow {
  readonly environment: string;
  readonly project: string;
  readonly version: number;
}

/** The environment and the version of its ruleset (0: nothing was ever changed in it). Undefined: it is gone. */
export async function findRuleset(
  db: Executor,
  environmentId: string,
): Promise<(RulesetRow & { readonly project_id: string }) | undefined> {
  const row = await db
    .selectFrom('environments as e')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .leftJoin('rulesets as r', 'r.environment_id', 'e.id')
    .select(['e.key as environment', 'p.key as project', 'p.id as project_id', 'r.version'])
    .where('e.id', '=', environmentId)
    .where('e.deleted_at', 'is', null)
    .where('p.deleted_at', 'is', null)
    .where('w.deleted_at', 'is', null)
    .executeTakeFirst();
  return row && { ...row, version: row.version ?? 0 };
}

export async function findRulesetVersions(
  db: Executor,
  environmentIds: readonly string[],
): Promise<Map<string, number>> {
  if (environmentIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('rulesets')
    .select(['environment_id', 'version'])
    .where('environment_id', 'in', environmentIds)
    .execute();
  return new Map(rows.map(({ environment_id, version }) => [environment_id, version]));
}

/** Every flag of a project that is not archived, with what one environment was told to serve. */
export async function listServedFlags(
  db: Executor,
  projectId: string,
  environmentId: string,
): Promise<{ flag: FlagRow; targeting: TargetingRow | undefined }[]> {
  const flags = await db
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('archived', '=', false)
    .execute();
  const targeting = await db
    .selectFrom('flag_targeting as t')
    .innerJoin('flags as f', 'f.id', 't.flag_id')
    .selectAll('t')
    .where('t.environment_id', '=', environmentId)
    .where('f.archived', '=', false)
    .execute();
  const byFlag = new Map(targeting.map((row) => [row.flag_id, { ...row, config: row.config as TargetingConfig }]));
  return flags.map((flag) => ({ flag, targeting: byFlag.get(flag.id) }));
}
