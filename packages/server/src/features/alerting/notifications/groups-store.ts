import { sql } from 'kysely';
import type { Database, Executor } from '../../../platform/postgres/database.ts';
import type { GoneAlert } from '../../../platform/postgres/schema.ts';
import type { Sent } from './flush-rules.ts';

type Labels = Readonly<Record<string, string>>;

export interface ClaimedGroup {
  readonly id: string;
  readonly workspace_id: string;
  readonly workspace: string;
  readonly policy_id: string | null;
  readonly labels: Labels;
  /** Which flush comes next: the order of a group's deliveries, and part of their keys. */
  readonly flush: number;
  readonly epoch: number;
}

/**
 * Claims groups that are due. Each claim is a new epoch, so that its former holder can write nothing more.
 */
export async function claimGroups(
  db: Database,
  { holder, now, leaseMs, limit }: { holder: string; now: Date; leaseMs: number; limit: number },
): Promise<ClaimedGroup[]> {
  const { rows } = await sql<ClaimedGroup>`
    WITH due AS (
      SELECT g.id, w.slug FROM alert_groups g JOIN workspaces w ON w.id = g.workspace_id AND w.deleted_at IS NULL
      WHERE g.next_flush_at <= ${now} AND (g.lease_until IS NULL OR g.lease_until <= ${now})
      ORDER BY g.next_flush_at LIMIT ${limit} FOR UPDATE OF g SKIP LOCKED
    )
    UPDATE alert_groups AS g SET holder = ${holder}, lease_until = ${new Date(now.getTime() + leaseMs)}, epoch = g.epoch + 1
    FROM due WHERE g.id = due.id
    RETURNING g.id, g.workspace_id, due.slug AS workspace, g.policy_id, g.labels, g.flushes + 1 AS flush, g.epoch::int AS epoch`.execute(
    db,
  );
  return rows;
}

/** When a group or a delivery is due next, in milliseconds since the epoch; Infinity: none is. */
export async function nextDueAt(db: Database): Promise<number> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT LEAST(
      (SELECT g.next_flush_at FROM alert_groups g JOIN workspaces w ON w.id = g.workspace_id AND w.deleted_at IS NULL
        WHERE g.next_flush_at IS NOT NULL ORDER BY g.next_flush_at LIMIT 1),
      (SELECT d.next_try_at FROM notification_deliveries d JOIN workspaces w ON w.id = d.workspace_id AND w.deleted_at IS NULL
        WHERE d.status = 'pending' ORDER BY d.next_try_at LIMIT 1)) AS at`.execute(db);
  return rows[0]?.at?.getTime() ?? Number.POSITIVE_INFINITY;
}

export interface MemberRow {
  readonly group_id: string;
  readonly instance_id: string;
  readonly has_left: boolean;
  readonly gone: GoneAlert | null;
  readonly labels: Labels | null;
  readonly state: string | null;
  readonly value: number | null;
  readonly fired_at: Date | null;
  readonly resolved_at: Date | null;
  readonly updated_at: Date | null;
  readonly rule_id: string | null;
  readonly rule_name: string | null;
  readonly project: string | null;
  /** Whether its project and its environment still exist. */
  readonly is_live: boolean;
}

/** The alerts of groups, as they are now. */
export async function listMembers(db: Executor, groupIds: readonly string[]): Promise<MemberRow[]> {
  if (groupIds.length === 0) return [];
  const { rows } = await sql<MemberRow>`
    SELECT m.group_id, m.instance_id, m.has_left, m.gone, i.labels, i.state, i.value, i.fired_at, i.resolved_at, i.updated_at,
      i.rule_id, r.name AS rule_name, p.key AS project,
      COALESCE(p.deleted_at IS NULL AND (r.environment IS NULL OR EXISTS (
        SELECT 1 FROM environments e WHERE e.project_id = r.project_id AND e.key = r.environment AND e.deleted_at IS NULL)), false) AS is_live
    FROM alert_group_members m
    LEFT JOIN alert_instances i ON i.id = m.instance_id
    LEFT JOIN alert_rules r ON r.id = i.rule_id
    LEFT JOIN projects p ON p.id = r.project_id
    WHERE m.group_id = ANY(${[...groupIds]}::uuid[])
    ORDER BY i.fired_at, m.instance_id`.execute(db);
  return rows;
}

export type SentRow = Sent & {
  readonly groupId: string;
  readonly channelId: string;
  /** A message about the group is on its way to the channel. */
  readonly isAwaiting: boolean;
};

/** What channels were last told about groups. */
export async function listSent(db: Executor, groupIds: readonly string[]): Promise<SentRow[]> {
  if (groupIds.length === 0) return [];
  const rows = await db
    .selectFrom('alert_group_sent as s')
    .selectAll('s')
    .select(
      sql<boolean>`EXISTS (
        SELECT 1 FROM notification_deliveries d
        WHERE d.group_id = s.group_id AND d.channel_id = s.channel_id AND d.status = 'pending')`.as('is_awaiting'),
    )
    .where('s.group_id', 'in', [...groupIds])
    .execute();
  return rows.map(({ group_id, channel_id, firing, resolved, at, is_awaiting }) => ({
    groupId: group_id,
    channelId: channel_id,
    firing,
    resolved,
    at: at.getTime(),
    isAwaiting: is_awaiting,
  }));
}

export interface RuleTexts {
  /** Not rendered. */
  readonly annotations: Labels;
  readonly runbookUrl: string | null;
}

export async function listAnnotations(
  db: Executor,
  ruleIds: readonly string[],
): Promise<ReadonlyMap<string, RuleTexts>> {
  if (ruleIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; annotations: Labels | null; runbook_url: string | null }>`
    SELECT id, definition->'annotations' AS annotations, definition->>'runbook_url' AS runbook_url
    FROM alert_rules WHERE id = ANY(${[...ruleIds]}::uuid[])`.execute(db);
  return new Map(
    rows.map(({ id, annotations, runbook_url }) => [id, { annotations: annotations ?? {}, runbookUrl: runbook_url }]),
  );
}

/** The revisions of the policies of workspaces. */
export async function listRevisions(
  db: Executor,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (workspaceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('alert_routing')
    .selectAll()
    .where('workspace_id', 'in', [...workspaceIds])
    .execute();
  return new Map(rows.map(({ workspace_id, revision }) => [workspace_id, Number(revision)]));
}

/** The alerts of workspaces that fire: what inhibits others. */
export async function listFiring(
  db: Executor,
  workspaceIds: readonly string[],
): Promise<{ id: string; workspace_id: string; labels: Labels; rule_name: string }[]> {
  if (workspaceIds.length === 0) return [];
  return db
    .selectFrom('alert_instances as i')
    .innerJoin('alert_rules as r', 'r.id', 'i.rule_id')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .select(['i.id', 'i.workspace_id', 'i.labels', 'r.name as rule_name'])
    .where('i.workspace_id', 'in', [...workspaceIds])
    .where('i.state', 'in', ['firing', 'recovering', 'no_data', 'error'])
    .where('p.deleted_at', 'is', null)
    .orderBy('i.id')
    .execute();
}

/** Which groups are still held in their epoch; nobody else changes these before the transaction ends. */
export async function heldGroups(trx: Executor, groups: readonly ClaimedGroup[]): Promise<ReadonlySet<string>> {
  // In one order, so that two replicas do not wait for each other.
  const { rows } = await sql<{ id: string }>`
    SELECT g.id FROM alert_groups AS g
    JOIN (SELECT unnest(${groups.map(({ id }) => id)}::uuid[]) AS id, unnest(${groups.map(({ epoch }) => epoch)}::bigint[]) AS epoch) AS u
      ON u.id = g.id AND u.epoch = g.epoch
    ORDER BY g.id FOR UPDATE OF g`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes alerts out of a group, apart from those that fire again by now.
 * @param ended those of removed projects: nothing changes their state any more
 */
export async function forgetMembers(
  trx: Executor,
  groupId: string,
  { forgotten, ended }: { forgotten: readonly string[]; ended: readonly string[] },
): Promise<void> {
  if (forgotten.length === 0) return;
  await sql`
    DELETE FROM alert_group_members AS m
    WHERE m.group_id = ${groupId} AND m.instance_id = ANY(${[...forgotten]}::uuid[])
      AND (m.instance_id = ANY(${[...ended]}::uuid[]) OR NOT EXISTS (
        SELECT 1 FROM alert_instances i WHERE i.id = m.instance_id AND i.state IN ('firing', 'recovering', 'no_data', 'error')))`.execute(
    trx,
  );
}

export async function saveSent(
  trx: Executor,
  groups: readonly { readonly groupId: string; readonly sent: ReadonlyMap<string, Sent> }[],
): Promise<void> {
  const rows = groups.flatMap(({ groupId, sent }) =>
    [...sent].map(([channelId, { firing, resolved, at }]) => ({
      group_id: groupId,
      channel_id: channelId,
      firing: JSON.stringify(firing),
      resolved: JSON.stringify(resolved),
      at: new Date(at),
    })),
  );
  if (rows.length === 0) return;
  await trx
    .insertInto('alert_group_sent')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['group_id', 'channel_id']).doUpdateSet(({ ref }) => ({
        firing: ref('excluded.firing'),
        resolved: ref('excluded.resolved'),
        at: ref('excluded.at'),
      })),
    )
    .execute();
}

/** A flush that ends, and when the next one is. */
export interface EndedFlush {
  readonly group: ClaimedGroup;
  readonly nextFlushAt: Date;
}

/** Ends flushes: each group waits for its next one, or for its next alert if it has none. */
export async function endFlushes(trx: Executor, flushes: readonly EndedFlush[], now: Date): Promise<void> {
  if (flushes.length === 0) return;
  await sql`
    UPDATE alert_groups AS g SET flushes = g.flushes + 1, lease_until = NULL, holder = NULL, updated_at = ${now},
      next_flush_at = CASE WHEN EXISTS (SELECT 1 FROM alert_group_members m WHERE m.group_id = g.id) THEN u.next_flush_at END
    FROM (SELECT unnest(${flushes.map(({ group }) => group.id)}::uuid[]) AS id, unnest(${flushes.map(({ nextFlushAt }) => nextFlushAt)}::timestamptz[]) AS next_flush_at) AS u
    WHERE g.id = u.id`.execute(trx);
}

/** Ends flushes that changed nothing, in one statement. */
export async function postponeGroups(db: Executor, groups: readonly EndedFlush[]): Promise<void> {
  if (groups.length === 0) return;
  await sql`
    UPDATE alert_groups AS g SET lease_until = NULL, holder = NULL, next_flush_at = u.next_flush_at
    FROM (SELECT unnest(${groups.map(({ group }) => group.id)}::uuid[]) AS id, unnest(${groups.map(({ group }) => group.epoch)}::bigint[]) AS epoch,
      unnest(${groups.map(({ nextFlushAt }) => nextFlushAt)}::timestamptz[]) AS next_flush_at) AS u
    WHERE g.id = u.id AND g.epoch = u.epoch`.execute(db);
}

/** Makes all groups due that wait for their next flush. */
export async function hastenGroups(db: Executor, now: Date): Promise<void> {
  await db.updateTable('alert_groups').set({ next_flush_at: now }).where('next_flush_at', '>', now).execute();
}

/** Keeps what the groups of a rule's alerts need to report their end, before the rule is deleted with its alerts. */
export async function keepGone(trx: Executor, ruleId: string, now: Date): Promise<void> {
  await sql`
    UPDATE alert_group_members AS m SET gone = jsonb_build_object(
      'labels', i.labels || jsonb_build_object('alertname', r.name), 'rule_id', r.id, 'value', i.value,
      'fired_at', to_char(i.fired_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'resolved_at', ${now.toISOString()}::text)
    FROM alert_instances i JOIN alert_rules r ON r.id = i.rule_id
    WHERE i.rule_id = ${ruleId} AND m.instance_id = i.id`.execute(trx);
}

/** Forgets groups that have had no alerts since then, with what was sent for them, unless a message is still on its way. */
export async function pruneGroups(db: Executor, idleSince: Date): Promise<void> {
  await sql`
    DELETE FROM alert_groups AS g WHERE g.next_flush_at IS NULL AND g.updated_at < ${idleSince}
      AND NOT EXISTS (SELECT 1 FROM notification_deliveries d WHERE d.group_id = g.id AND d.status = 'pending')
      AND NOT EXISTS (SELECT 1 FROM alert_group_members m WHERE m.group_id = g.id)`.execute(db);
}

/** A group for one message that is no alert: it has no policy and no members, and is never flushed. */
export async function insertGroup(
  trx: Executor,
  group: {
    readonly id: string;
    readonly workspaceId: string;
    readonly key: string;
    readonly labels: Labels;
    readonly now: Date;
  },
): Promise<void> {
  const { id, workspaceId, key, labels, now } = group;
  await trx
    .insertInto('alert_groups')
    .values({
      id,
      workspace_id: workspaceId,
      policy_id: null,
      key,
      labels: JSON.stringify(labels),
      next_flush_at: null,
      flushes: 1,
      holder: null,
      lease_until: null,
      created_at: now,
      updated_at: now,
    })
    .execute();
}
