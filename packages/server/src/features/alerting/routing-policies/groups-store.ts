import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { keyOf } from './tree-rules.ts';

type Labels = Readonly<Record<string, string>>;

/** An alert that a group takes. */
export interface Entry {
  readonly instanceId: string;
  readonly policyId: string;
  readonly labels: Labels;
  readonly firstFlushAt: number;
}

export interface GroupId {
  readonly groupId: string;
  readonly instanceId: string;
}

/** Rows of one statement. */
const chunk = 500;

/** A hash, since labels can be longer than what an index holds. */
function hashOf(labels: Labels): string {
  return createHash('sha256').update(keyOf(labels)).digest('base64url');
}

/**
 * Puts alerts into their groups. A group without members begins to wait for its first flush; one that has members keeps
 * its time. Each group is locked until the transaction ends, so that a flush does not forget an alert that fires again.
 */
export async function enter(
  trx: Executor,
  workspaceId: string,
  entries: readonly Entry[],
  now: Date,
): Promise<GroupId[]> {
  const groups = new Map<string, Entry & { readonly key: string }>();
  const idOf = ({ policyId }: Entry, key: string) => `${policyId} ${key}`;
  const keys = entries.map(({ labels }) => hashOf(labels));
  for (const [i, entry] of entries.entries()) {
    const key = keys[i] ?? '';
    const known = groups.get(idOf(entry, key));
    if (known === undefined || known.firstFlushAt > entry.firstFlushAt) groups.set(idOf(entry, key), { ...entry, key });
  }
  // In one order everywhere, so that two transactions do not wait for each other.
  const ordered = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  const ids = new Map<string, string>();
  for (let at = 0; at < ordered.length; at += chunk) {
    const rows = await trx
      .insertInto('alert_groups')
      .values(
        ordered.slice(at, at + chunk).map(({ policyId, key, labels, firstFlushAt }) => ({
          id: newId(now.getTime()),
          workspace_id: workspaceId,
          policy_id: policyId,
          key,
          labels: JSON.stringify(labels),
          next_flush_at: new Date(firstFlushAt),
          holder: null,
          lease_until: null,
          created_at: now,
          updated_at: now,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['policy_id', 'key']).doUpdateSet(({ ref }) => ({
          next_flush_at: sql`COALESCE(alert_groups.next_flush_at, ${ref('excluded.next_flush_at')})`,
          updated_at: now,
        })),
      )
      .returning(['id', 'policy_id', 'key'])
      .execute();
    for (const { id, policy_id, key } of rows) ids.set(`${policy_id} ${key}`, id);
  }
  const members = entries.flatMap((entry, i) => {
    const groupId = ids.get(idOf(entry, keys[i] ?? ''));
    return groupId === undefined ? [] : [{ groupId, instanceId: entry.instanceId }];
  });
  await insertMembers(trx, members);
  return members;
}

async function insertMembers(trx: Executor, members: readonly GroupId[]): Promise<void> {
  for (let at = 0; at < members.length; at += chunk)
    await trx
      .insertInto('alert_group_members')
      .values(
        members
          .slice(at, at + chunk)
          .map(({ groupId, instanceId }) => ({ group_id: groupId, instance_id: instanceId, gone: null })),
      )
      .onConflict((conflict) =>
        conflict.columns(['group_id', 'instance_id']).doUpdateSet({ has_left: false, gone: null }),
      )
      .execute();
}

/** Notes which alerts the routing sends elsewhere by now: their groups only report their end. */
export async function leave(trx: Executor, left: readonly GroupId[]): Promise<void> {
  for (let at = 0; at < left.length; at += chunk) {
    const part = left.slice(at, at + chunk);
    await sql`
      UPDATE alert_group_members AS m SET has_left = true
      FROM (SELECT unnest(${part.map(({ groupId }) => groupId)}::uuid[]) AS group_id, unnest(${part.map(({ instanceId }) => instanceId)}::uuid[]) AS instance_id) AS l
      WHERE m.group_id = l.group_id AND m.instance_id = l.instance_id`.execute(trx);
  }
}

/** The groups in which alerts are now, unless they have left them. */
export async function listMemberships(db: Executor, instanceIds: readonly string[]): Promise<GroupId[]> {
  const { rows } = await sql<GroupId>`
    SELECT group_id AS "groupId", instance_id AS "instanceId" FROM alert_group_members
    WHERE instance_id = ANY(${[...instanceIds]}::uuid[]) AND NOT has_left`.execute(db);
  return rows;
}

export interface FiringRow {
  readonly id: string;
  readonly labels: Labels;
  readonly rule_name: string;
  readonly started_at: Date;
}

/** The alerts of a workspace, or of one of its rules, that fire. */
export async function listFiring(db: Executor, workspaceId: string, ruleId?: string): Promise<FiringRow[]> {
  let query = db
    .selectFrom('alert_instances as i')
    .innerJoin('alert_rules as r', 'r.id', 'i.rule_id')
    .select(['i.id', 'i.labels', 'r.name as rule_name', sql<Date>`COALESCE(i.fired_at, i.updated_at)`.as('started_at')])
    .where('i.workspace_id', '=', workspaceId)
    .where('i.state', 'in', ['firing', 'recovering', 'no_data', 'error'])
    .orderBy('i.id');
  if (ruleId !== undefined) query = query.where('i.rule_id', '=', ruleId);
  return query.execute();
}
