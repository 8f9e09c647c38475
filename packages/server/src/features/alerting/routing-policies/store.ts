import { type Selectable, sql } from 'kysely';
import { durationMs } from '../../../platform/durations.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { RoutingPolicyTable, StoredInterval, StoredMatcher } from '../../../platform/postgres/schema.ts';
import { type Policy, type Tree, treeOf } from './tree-rules.ts';

/** A policy with its own channels; null: those of its parent. */
export type PolicyRow = Selectable<RoutingPolicyTable> & {
  readonly created_by_name: string | null;
  readonly channels: readonly string[] | null;
};

/** Every policy of a workspace. */
export async function listPolicies(db: Executor, workspaceId: string): Promise<PolicyRow[]> {
  const { rows } = await sql<PolicyRow>`
    SELECT p.*, u.name AS created_by_name, CASE WHEN p.inherits_channels THEN NULL ELSE COALESCE(
      (SELECT jsonb_agg(c.channel_id ORDER BY c.position) FROM policy_channels c WHERE c.policy_id = p.id), '[]'::jsonb) END AS channels
    FROM routing_policies p LEFT JOIN users u ON u.id = p.created_by
    WHERE p.workspace_id = ${workspaceId} ORDER BY p.position, p.id`.execute(db);
  return rows;
}

export function policyOf(row: PolicyRow): Policy {
  const ms = (text: string | null) => (text === null ? null : durationMs(text));
  return {
    id: row.id,
    parent: row.parent_id,
    name: row.name,
    position: row.position,
    matchers: row.matchers,
    continues: row.continues,
    channels: row.channels,
    groupBy: row.group_by,
    groupWaitMs: ms(row.group_wait),
    groupIntervalMs: ms(row.group_interval),
    repeatIntervalMs: ms(row.repeat_interval),
    mute: row.mute,
    active: row.active,
  };
}

export interface PolicyValues {
  readonly parent_id: string | null;
  readonly name: string;
  readonly position: number;
  readonly matchers: readonly StoredMatcher[];
  readonly continues: boolean;
  readonly channels: readonly string[] | null;
  readonly group_by: readonly string[] | null;
  readonly group_wait: string | null;
  readonly group_interval: string | null;
  readonly repeat_interval: string | null;
  readonly mute: readonly StoredInterval[];
  readonly active: readonly StoredInterval[];
}

function columnsOf({ channels, matchers, group_by, mute, active, ...values }: PolicyValues) {
  return {
    ...values,
    inherits_channels: channels === null,
    matchers: JSON.stringify(matchers),
    group_by: group_by === null ? null : JSON.stringify(group_by),
    mute: JSON.stringify(mute),
    active: JSON.stringify(active),
  };
}

export async function insertPolicy(
  trx: Executor,
  row: PolicyValues & {
    readonly id: string;
    readonly workspace_id: string;
    readonly created_by: string | null;
    readonly created_at: Date;
  },
): Promise<void> {
  const { id, workspace_id, created_by, created_at, ...values } = row;
  await trx
    .insertInto('routing_policies')
    .values({ id, workspace_id, created_by, created_at, updated_at: created_at, ...columnsOf(values) })
    .execute();
  await setChannels(trx, id, values.channels);
}

export async function updatePolicy(trx: Executor, id: string, values: PolicyValues, now: Date): Promise<void> {
  await trx
    .updateTable('routing_policies')
    .set({ ...columnsOf(values), version: sql`version + 1`, updated_at: now })
    .where('id', '=', id)
    .execute();
  await setChannels(trx, id, values.channels);
}

async function setChannels(trx: Executor, policyId: string, channels: readonly string[] | null): Promise<void> {
  await trx.deleteFrom('policy_channels').where('policy_id', '=', policyId).execute();
  if (channels === null || channels.length === 0) return;
  await trx
    .insertInto('policy_channels')
    .values(channels.map((channel, position) => ({ policy_id: policyId, channel_id: channel, position })))
    .execute();
}

export async function deletePolicy(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('routing_policies').where('id', '=', id).execute();
}

/** The names of the policies that send to a channel. */
export async function listPoliciesOfChannel(db: Executor, channelId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('policy_channels as c')
    .innerJoin('routing_policies as p', 'p.id', 'c.policy_id')
    .select('p.name')
    .where('c.channel_id', '=', channelId)
    .orderBy('p.name')
    .execute();
  return rows.map(({ name }) => name);
}

/**
 * Reads how often the policies of a workspace have changed, and holds them as they are until the transaction ends: for
 * changes of alerts together with others, for changes of policies alone. Undefined: the workspace has no policies yet.
 */
export async function lockRouting(
  trx: Executor,
  workspaceId: string,
  mode: 'share' | 'update',
): Promise<number | undefined> {
  const query = trx.selectFrom('alert_routing').select('revision').where('workspace_id', '=', workspaceId);
  const row = await (mode === 'share' ? query.forShare() : query.forUpdate()).executeTakeFirst();
  return row === undefined ? undefined : Number(row.revision);
}

export async function readRevision(db: Executor, workspaceId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('alert_routing')
    .select('revision')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row === undefined ? undefined : Number(row.revision);
}

export async function bumpRevision(trx: Executor, workspaceId: string): Promise<void> {
  await trx
    .updateTable('alert_routing')
    .set({ revision: sql`revision + 1` })
    .where('workspace_id', '=', workspaceId)
    .execute();
}

/** Makes the root of a workspace that has none. Several at once make one. */
export async function ensureRoot(
  db: Executor,
  workspaceId: string,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<void> {
  await sql`
    WITH routed AS (
      INSERT INTO alert_routing (workspace_id) VALUES (${workspaceId}) ON CONFLICT DO NOTHING RETURNING workspace_id)
    INSERT INTO routing_policies (id, workspace_id, name, position, matchers, continues, inherits_channels, mute, active, created_at, updated_at)
    SELECT ${id}::uuid, workspace_id, 'Root', 0, '[]', false, false, '[]', '[]', ${now}::timestamptz, ${now}::timestamptz FROM routed
    ON CONFLICT DO NOTHING`.execute(db);
}

/** The trees of workspaces, kept while nothing changes them. */
export interface Trees {
  /** @param revision as `lockRouting` and `readRevision` give it */
  of(db: Executor, workspaceId: string, revision: number): Promise<Tree | undefined>;
}

const maxTrees = 1_000;

export function createTrees(): Trees {
  const trees = new Map<string, { readonly revision: number; readonly tree: Tree | undefined }>();
  return {
    async of(db, workspaceId, revision) {
      const known = trees.get(workspaceId);
      if (known?.revision === revision) return known.tree;
      const tree = treeOf((await listPolicies(db, workspaceId)).map(policyOf));
      trees.delete(workspaceId);
      trees.set(workspaceId, { revision, tree });
      const [oldest] = trees.keys();
      if (trees.size > maxTrees && oldest !== undefined) trees.delete(oldest);
      return tree;
    },
  };
}
