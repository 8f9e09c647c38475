import type { AlertDefinition } from '@fanion/contract';
import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { AlertRuleTable } from '../../../platform/postgres/schema.ts';
import { isListed, type Placed, type PlacedFilter, placeExists, placeNames } from '../../identity/projects/index.ts';

/** A rule with the names of its place. */
export type AlertRuleRow = Placed<AlertRuleTable>;

function alertRules(db: Executor) {
  return db
    .selectFrom('alert_rules as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .leftJoin('users as u', 'u.id', 'r.created_by')
    .selectAll('r')
    .select(placeNames)
    .where(placeExists);
}

/** Newest first. */
export async function listRules(
  db: Executor,
  workspaceId: string,
  filter: PlacedFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<AlertRuleRow[]> {
  return alertRules(db)
    .where(isListed(workspaceId, filter, after, sql<string>`r.query`))
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute();
}

export async function findRule(db: Executor, workspaceId: string, id: string): Promise<AlertRuleRow | undefined> {
  return alertRules(db).where('r.workspace_id', '=', workspaceId).where('r.id', '=', id).executeTakeFirst();
}

/** The versions of the enabled rules of shards, by id. */
export async function listVersions(db: Executor, shards: readonly number[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('alert_rules as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .select(['r.id', 'r.version'])
    .where('r.shard', 'in', [...shards])
    .where('r.enabled', '=', true)
    .where(placeExists)
    .execute();
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** Enabled rules whose place exists. */
export async function listRulesById(db: Executor, ids: readonly string[]): Promise<AlertRuleRow[]> {
  if (ids.length === 0) return [];
  return alertRules(db)
    .where('r.id', '=', sql<string>`ANY(${[...ids]}::uuid[])`)
    .where('r.enabled', '=', true)
    .execute();
}

export async function countRules(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('alert_rules')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** How many enabled rules have each interval, without one of them. */
export async function countIntervals(
  db: Executor,
  workspaceId: string,
  except: string | undefined,
): Promise<{ every: string; count: number }[]> {
  let query = db
    .selectFrom('alert_rules')
    .select([sql<string>`definition ->> 'every'`.as('every'), sql<number>`count(*)::int`.as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('enabled', '=', true)
    .groupBy(sql`1`);
  if (except !== undefined) query = query.where('id', '!=', except);
  return query.execute();
}

export interface RuleValues {
  readonly name: string;
  readonly query: string;
  readonly definition: AlertDefinition;
  readonly enabled: boolean;
}

export async function insertRule(
  trx: Executor,
  row: RuleValues & {
    readonly id: string;
    readonly workspace_id: string;
    readonly project_id: string;
    readonly environment: string | null;
    readonly shard: number;
    readonly slo_id?: string;
    readonly created_by: string | null;
    readonly created_at: Date;
  },
): Promise<void> {
  await trx
    .insertInto('alert_rules')
    .values({ ...row, definition: JSON.stringify(row.definition), updated_at: row.created_at })
    .execute();
}

/** The rules that an SLO keeps. */
export async function listRulesOfSlo(
  trx: Executor,
  sloId: string,
): Promise<Pick<AlertRuleRow, 'id' | 'shard' | 'definition'>[]> {
  return trx.selectFrom('alert_rules').select(['id', 'shard', 'definition']).where('slo_id', '=', sloId).execute();
}

/** Locks the rule, so that of two changes the second one sees what the first one wrote. */
export async function lockRule(trx: Executor, workspaceId: string, id: string): Promise<AlertRuleRow | undefined> {
  await trx
    .selectFrom('alert_rules')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return findRule(trx, workspaceId, id);
}

export async function updateRule(trx: Executor, id: string, values: RuleValues, now: Date): Promise<void> {
  await trx
    .updateTable('alert_rules')
    .set({
      ...values,
      definition: JSON.stringify(values.definition),
      version: sql`version + 1`,
      updated_at: now,
      last_error: null,
      delayed: false,
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteRule(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('alert_rules').where('id', '=', id).execute();
}

/** Notes for the holder of the shard that its rules changed. */
export async function bumpShard(trx: Executor, shard: number): Promise<void> {
  await trx.updateTable('alert_shards').set({ revision: sql`revision + 1` }).where('shard', '=', shard).execute();
}

/** How many instances of each rule fire now. */
export async function countFiring(db: Executor, ruleIds: readonly string[]): Promise<Map<string, number>> {
  if (ruleIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('alert_instances')
    .select(['rule_id', sql<number>`count(*)::int`.as('count')])
    .where('rule_id', 'in', [...ruleIds])
    .where('state', 'in', ['firing', 'recovering', 'no_data', 'error'])
    .groupBy('rule_id')
    .execute();
  return new Map(rows.map(({ rule_id, count }) => [rule_id, count]));
}
