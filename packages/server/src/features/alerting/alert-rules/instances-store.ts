import { createHash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { AlertInstanceTable } from '../../../platform/postgres/schema.ts';
import { identityOf } from './sample-rules.ts';
import { type Instance, type InstanceState, ruleItself, type Transition } from './step-rules.ts';

export type AlertInstanceRow = Selectable<AlertInstanceTable>;

export interface InstanceFilter {
  readonly ruleId: string | undefined;
  readonly state: string | undefined;
  readonly label: { readonly name: string; readonly value: string } | undefined;
  /** Instances that resolved before are left out. */
  readonly resolvedAfter: Date;
}

function instances(db: Executor, workspaceId: string) {
  return db
    .selectFrom('alert_instances as i')
    .innerJoin('alert_rules as r', 'r.id', 'i.rule_id')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .selectAll('i')
    .select(['r.name as rule_name', 'p.key as project', 'r.environment'])
    .where('i.workspace_id', '=', workspaceId);
}
export type NamedInstanceRow = AlertInstanceRow & {
  readonly rule_name: string;
  /** The keys of the place of its rule. */
  readonly project: string;
  readonly environment: string | null;
};

/** Newest first. */
export async function listInstances(
  db: Executor,
  workspaceId: string,
  { ruleId, state, label, resolvedAfter }: InstanceFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<NamedInstanceRow[]> {
  let query = instances(db, workspaceId).orderBy('i.id', 'desc').limit(limit);
  if (ruleId !== undefined) query = query.where('i.rule_id', '=', ruleId);
  if (state !== undefined) query = query.where('i.state', '=', state);
  else
    query = query.where(
      sql<boolean>`(i.state NOT IN ('inactive', 'resolved') OR (i.state = 'resolved' AND i.resolved_at > ${resolvedAfter}))`,
    );
  if (label !== undefined) query = query.where(sql<boolean>`i.labels ->> ${label.name} = ${label.value}`);
  if (after !== undefined) query = query.where('i.id', '<', after);
  return query.execute();
}

export async function findInstance(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<NamedInstanceRow | undefined> {
  return instances(db, workspaceId).where('i.id', '=', id).executeTakeFirst();
}

/** The latest first, at most so many. */
export async function listTransitions(db: Executor, instanceId: string, limit: number) {
  return db
    .selectFrom('alert_transitions')
    .selectAll()
    .where('instance_id', '=', instanceId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The instances of rules that are not over. */
export async function listInstancesOf(db: Executor, ruleIds: readonly string[]): Promise<Map<string, Instance[]>> {
  const found = new Map<string, Instance[]>();
  if (ruleIds.length === 0) return found;
  const rows = await db
    .selectFrom('alert_instances')
    .selectAll()
    .where('rule_id', 'in', [...ruleIds])
    .where('state', '!=', 'inactive')
    .execute();
  for (const row of rows) {
    const of = found.get(row.rule_id) ?? [];
    of.push({
      identity: row.identity === ruleItself ? ruleItself : identityOf(row.labels),
      labels: row.labels,
      state: row.state as InstanceState,
      value: row.value,
      activeSince: row.active_since?.getTime() ?? null,
      firedAt: row.fired_at?.getTime() ?? null,
      resolvedAt: row.resolved_at?.getTime() ?? null,
      recoveringSince: row.recovering_since?.getTime() ?? null,
      missed: row.missed,
      turns: row.turns,
    });
    found.set(row.rule_id, of);
  }
  return found;
}

interface RuleIds {
  readonly id: string;
  readonly workspace_id: string;
}

/**
 * Writes instances and their transitions; an instance keeps its id for as long as its rule exists.
 * @returns the ids of the instances, by identity
 */
export async function saveInstances(
  trx: Executor,
  rule: RuleIds,
  changed: readonly Instance[],
  transitions: readonly Transition[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  if (changed.length === 0) return new Map();
  const written = await trx
    .insertInto('alert_instances')
    .values(changed.map((instance) => rowOf(rule, instance, now)))
    .onConflict((conflict) =>
      conflict.columns(['rule_id', 'identity']).doUpdateSet(({ ref }) => ({
        labels: ref('excluded.labels'),
        state: ref('excluded.state'),
        value: ref('excluded.value'),
        active_since: ref('excluded.active_since'),
        fired_at: ref('excluded.fired_at'),
        resolved_at: ref('excluded.resolved_at'),
        recovering_since: ref('excluded.recovering_since'),
        missed: ref('excluded.missed'),
        turns: ref('excluded.turns'),
        updated_at: ref('excluded.updated_at'),
      })),
    )
    .returning(['id', 'identity'])
    .execute();
  const stored = new Map(written.map(({ id, identity }) => [identity, id]));
  const ids = new Map(
    changed.flatMap(({ identity }) => {
      const id = stored.get(storedIdentity(identity));
      return id === undefined ? [] : [[identity, id] as const];
    }),
  );
  const rows = transitions.flatMap(({ identity, at, from, to, value, reason }) => {
    const instanceId = ids.get(identity);
    if (instanceId === undefined) return [];
    return [
      {
        id: newId(now.getTime()),
        workspace_id: rule.workspace_id,
        rule_id: rule.id,
        instance_id: instanceId,
        at: new Date(at),
        from_state: from,
        to_state: to,
        value,
        reason,
      },
    ];
  });
  if (rows.length > 0) await trx.insertInto('alert_transitions').values(rows).execute();
  return ids;
}

function rowOf(rule: RuleIds, instance: Instance, now: Date) {
  return {
    id: newId(now.getTime()),
    workspace_id: rule.workspace_id,
    rule_id: rule.id,
    identity: storedIdentity(instance.identity),
    labels: JSON.stringify(instance.labels),
    state: instance.state,
    value: instance.value,
    active_since: dateOrNull(instance.activeSince),
    fired_at: dateOrNull(instance.firedAt),
    resolved_at: dateOrNull(instance.resolvedAt),
    recovering_since: dateOrNull(instance.recoveringSince),
    missed: instance.missed,
    turns: JSON.stringify(instance.turns),
    updated_at: now,
  };
}

/** Resolves whatever fires of a rule, and forgets what is pending: the rule is not evaluated any more. */
export async function endInstances(trx: Executor, rule: RuleIds, now: Date): Promise<void> {
  await sql`
    WITH ended AS (
      UPDATE alert_instances AS i
      SET state = CASE WHEN i.state = 'pending' THEN 'inactive' ELSE 'resolved' END, active_since = NULL,
        resolved_at = CASE WHEN i.state = 'pending' THEN i.resolved_at ELSE ${now} END, recovering_since = NULL, updated_at = ${now}
      FROM alert_instances AS before
      WHERE i.rule_id = ${rule.id} AND before.id = i.id AND before.state NOT IN ('inactive', 'resolved')
      RETURNING i.id, i.value, before.state AS from_state, i.state AS to_state
    )
    INSERT INTO alert_transitions (id, workspace_id, rule_id, instance_id, at, from_state, to_state, value, reason)
    SELECT gen_random_uuid(), ${rule.workspace_id}::uuid, ${rule.id}::uuid, id, ${now}, from_state, to_state, value, 'disabled' FROM ended`.execute(
    trx,
  );
}

/** Forgets instances that have been over since then, with their timelines. */
export async function pruneInstances(db: Executor, before: Date): Promise<void> {
  await db
    .deleteFrom('alert_instances')
    .where('state', 'in', ['inactive', 'resolved'])
    .where('updated_at', '<', before)
    .execute();
}

/** A hash, since labels can be longer than what an index holds. */
function storedIdentity(identity: string): string {
  return identity === ruleItself ? ruleItself : createHash('sha256').update(identity).digest('base64url');
}

function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
