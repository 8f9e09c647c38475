import { sql } from 'kysely';
import { durationMs } from '../../../platform/durations.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { StoredInterval, StoredMatcher } from '../../../platform/postgres/schema.ts';
import { type Authored, authored, ResourceTable } from '../../identity/resources/index.ts';
import { type Policy, type Tree, treeOf } from './tree-rules.ts';

/** A policy with its own channels; null: those of its parent. */
export type PolicyRow = Authored<'routing_policies'> & { readonly channels: readonly string[] | null };

function policiesWithChannels(db: Executor) {
  return authored(db, 'routing_policies').select(
    sql<readonly string[] | null>`CASE WHEN r.inherits_channels THEN NULL ELSE COALESCE(
      (SELECT jsonb_agg(c.channel_id ORDER BY c.position) FROM policy_channels c WHERE c.policy_id = r.id), '[]'::jsonb) END`.as(
      'channels',
    ),
  );
}

const table = new ResourceTable<PolicyRow, Omit<PolicyValues, 'channels'>>('routing_policies', {
  owner: 'workspace_id',
  json: ['matchers', 'group_by', 'mute', 'active'],
  rows: policiesWithChannels,
});

/** Every policy of a workspace. */
export async function listPolicies(db: Executor, workspaceId: string): Promise<PolicyRow[]> {
  return policiesWithChannels(db)
    .where('r.workspace_id', '=', workspaceId)
    .orderBy('r.position')
    .orderBy('r.id')
    .execute();
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

export async function insertPolicy(
  trx: Executor,
  { channels, ...row }: PolicyValues & { readonly id: string },
): Promise<void> {
  const columns = { ...row, inherits_channels: channels === null };
  await table.insert(trx, columns);
  await setChannels(trx, row.id, channels);
}

export async function updatePolicy(
  trx: Executor,
  id: string,
  { channels, ...values }: PolicyValues,
  how: { readonly by: string; readonly now: Date },
): Promise<void> {
  const columns = { ...values, inherits_channels: channels === null };
  await table.update(trx, id, columns, how);
  await setChannels(trx, id, channels);
}

async function setChannels(trx: Executor, policyId: string, channels: readonly string[] | null): Promise<void> {
  await trx.deleteFrom('policy_channels').where('policy_id', '=', policyId).execute();
  if (channels === null || channels.length === 0) return;
  await trx
    .insertInto('policy_channels')
    .values(channels.map((channel, position) => ({ policy_id: policyId, channel_id: channel, position })))
    .execute();
}

export const deletePolicy: typeof table.remove = (...row) => table.remove(...row);

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
