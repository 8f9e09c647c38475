import { sql } from 'kysely';
import { appendOutbox } from '../../../platform/outbox/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { findHolds, type HoldRow } from './holds-store.ts';
import type { TargetingConfig } from './rules.ts';
import type { FlagRow, RampRow, TargetingRow } from './store.ts';

/** Outbox topic; key: the id of the environment whose ruleset has a newer version. */
export const rulesetChanged = 'rulesets.changed';

/**
 * Raises the ruleset versions of these environments and notifies every replica. In the order of ids, so that two
 * changes cannot deadlock.
 */
export async function bumpRulesets(trx: Executor, environmentIds: readonly string[], now: Date): Promise<void> {
  const ids = [...new Set(environmentIds)].sort();
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

/** The same for a write that may be part of a batch, which raises them once for all its writes. */
export async function bumpRulesetsNow(
  trx: Executor,
  environmentIds: readonly string[],
  { now, rulesetsLater = false }: { readonly now: Date; readonly rulesetsLater?: boolean },
): Promise<void> {
  if (!rulesetsLater) await bumpRulesets(trx, environmentIds, now);
}

/** The environment and the version of its ruleset (0: never changed). Undefined: it was removed. */
export async function findRuleset(
  db: Executor,
  environmentId: string,
): Promise<{ environment: string; project: string; project_id: string; version: number } | undefined> {
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

/** One version of one flag or segment. A later one with the same key has another stamp. */
export interface Stamp {
  readonly id: string;
  readonly key: string;
  readonly version: number;
}

/** Flags of a project that are not archived, with the version that one environment serves. */
export async function listFlagStamps(db: Executor, projectId: string, environmentId: string): Promise<Stamp[]> {
  return db
    .selectFrom('flags as f')
    .leftJoin('flag_targeting as t', (join) =>
      join.onRef('t.flag_id', '=', 'f.id').on('t.environment_id', '=', environmentId),
    )
    .select(['f.id', 'f.key', sql<number>`f.serve_version + coalesce(t.flag_version, 0)`.as('version')])
    .where('f.project_id', '=', projectId)
    .where('f.archived', '=', false)
    .execute();
}

export async function listSegmentStamps(db: Executor, projectId: string): Promise<Stamp[]> {
  return db.selectFrom('segments').select(['id', 'key', 'version']).where('project_id', '=', projectId).execute();
}

export interface ServedFlag {
  readonly flag: FlagRow;
  readonly targeting: TargetingRow | undefined;
  /** A ramp that has not ended. */
  readonly ramp: RampRow | undefined;
  readonly hold: HoldRow | undefined;
}

/** Flags with their targeting in one environment. */
export async function findServedFlags(
  db: Executor,
  environmentId: string,
  flagIds: readonly string[],
): Promise<ServedFlag[]> {
  if (flagIds.length === 0) return [];
  const ids = sql<string[]>`${flagIds}::uuid[]`;
  const flags = await db.selectFrom('flags').selectAll().where(sql<boolean>`id = ANY(${ids})`).execute();
  const targeting = await db
    .selectFrom('flag_targeting')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where(sql<boolean>`flag_id = ANY(${ids})`)
    .execute();
  const ramps = await db
    .selectFrom('flag_ramps')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where('status', 'in', ['running', 'paused'])
    .where(sql<boolean>`flag_id = ANY(${ids})`)
    .execute();
  const byFlag = new Map(targeting.map((row) => [row.flag_id, { ...row, config: row.config as TargetingConfig }]));
  const rampOf = new Map(ramps.map((row) => [row.flag_id, row]));
  const holds = new Map(
    (await findHolds(db, { flagIds, environmentIds: [environmentId] })).map((hold) => [hold.flag_id, hold]),
  );
  return flags.map((flag) => ({
    flag,
    targeting: byFlag.get(flag.id),
    ramp: rampOf.get(flag.id),
    hold: holds.get(flag.id),
  }));
}

export interface ServedSegment {
  readonly key: string;
  readonly version: number;
  readonly rules: unknown;
}

export async function findServedSegment(db: Executor, id: string): Promise<ServedSegment | undefined> {
  return db.selectFrom('segments').select(['key', 'version', 'rules']).where('id', '=', id).executeTakeFirst();
}

/** Names one chunk of a segment's keys, in the state of a version. */
export interface ChunkStamp {
  readonly list: 'included' | 'excluded';
  readonly chunk: number;
  readonly version: number;
}

export async function listChunkStamps(db: Executor, segmentId: string): Promise<ChunkStamp[]> {
  return db
    .selectFrom('segment_keys')
    .select(['list', 'chunk', 'version'])
    .where('segment_id', '=', segmentId)
    .orderBy('list')
    .orderBy('chunk')
    .execute();
}

/** One chunk at a time: a million keys at once would block the process. */
export async function findChunkKeys(db: Executor, segmentId: string, { list, chunk }: ChunkStamp): Promise<string[]> {
  const row = await db
    .selectFrom('segment_keys')
    .select('keys')
    .where('segment_id', '=', segmentId)
    .where('list', '=', list)
    .where('chunk', '=', chunk)
    .executeTakeFirst();
  return row === undefined ? [] : (JSON.parse(row.keys) as string[]);
}
