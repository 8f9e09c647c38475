import type { AlertDefinition } from '@fanion/contract';
import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import { isListed, type PlacedFilter, placeExists } from '../../identity/projects/index.ts';
import { type Placed, placed, ResourceTable } from '../../identity/resources/index.ts';

/** A rule with the names of its place. */
export type AlertRuleRow = Placed<'alert_rules'>;

export interface RuleValues {
  readonly name: string;
  readonly query: string;
  readonly definition: AlertDefinition;
  readonly enabled: boolean;
}

export const alertRules = new ResourceTable<AlertRuleRow, RuleValues>('alert_rules', {
  owner: 'workspace_id',
  json: ['definition'],
  rows: (db) => placed(db, 'alert_rules'),
});

export const isListedRule = (filter: PlacedFilter) => isListed(filter, sql`r.query`);

/** What a change of a rule forgets of its evaluations. */
export const unevaluated = { last_error: null, delayed: false };

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
  const signed = { ...row, updated_by: row.created_by, updated_at: row.created_at };
  await alertRules.insert(trx, signed);
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
  return placed(db, 'alert_rules')
    .where('r.id', '=', sql<string>`ANY(${[...ids]}::uuid[])`)
    .where('r.enabled', '=', true)
    .execute();
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

/** The rules that an SLO keeps. */
export async function listRulesOfSlo(
  trx: Executor,
  sloId: string,
): Promise<Pick<AlertRuleRow, 'id' | 'shard' | 'definition'>[]> {
  return trx.selectFrom('alert_rules').select(['id', 'shard', 'definition']).where('slo_id', '=', sloId).execute();
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
