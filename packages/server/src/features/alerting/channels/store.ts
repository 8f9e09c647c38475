import { sql } from 'kysely';
import { isId } from '../../../platform/ids.ts';
import { type Executor, foreignKeyViolation } from '../../../platform/postgres/database.ts';
import { type Authored, authored, ResourceTable } from '../../identity/resources/index.ts';

/** A channel with its secrets still encrypted. */
export type ChannelRow = Authored<'channels'>;

export interface ChannelValues {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly secrets: string | null;
  readonly send_resolved: boolean;
  readonly fallback: string | null;
}

export const channels = new ResourceTable<ChannelRow, ChannelValues>('channels', {
  owner: 'workspace_id',
  json: ['config'],
  rows: (db) => authored(db, 'channels'),
});

/** Those of the ids that are channels of the workspace. */
export async function findChannels(db: Executor, workspaceId: string, refs: readonly string[]): Promise<ChannelRow[]> {
  const ids = refs.filter(isId);
  if (ids.length === 0) return [];
  return authored(db, 'channels').where('r.workspace_id', '=', workspaceId).where('r.id', 'in', ids).execute();
}

/** The foreign key by which another row names the channel; the transaction must end then. */
export async function deleteChannel(trx: Executor, id: string): Promise<string | undefined> {
  try {
    await channels.remove(trx, id);
    return undefined;
  } catch (error) {
    const user = foreignKeyViolation(error);
    if (user === undefined) throw error;
    return user;
  }
}

/** The names of the channels that fall back on this one. */
export async function listUsersOfFallback(db: Executor, id: string): Promise<string[]> {
  const rows = await db.selectFrom('channels').select('name').where('fallback', '=', id).orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** The fallback of every channel of a workspace that has one. */
export async function listFallbacks(db: Executor, workspaceId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'fallback'])
    .where('workspace_id', '=', workspaceId)
    .where('fallback', 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ id, fallback }) => (fallback === null ? [] : [[id, fallback] as const])));
}

/** What became of the last delivery. */
export type Health = { readonly state: 'healthy' } | { readonly state: 'unhealthy'; readonly error: string };

/** Stores what became of a delivery. `since` is kept while the state stays the same; nothing new writes nothing. */
export async function markChannel(db: Executor, id: string, health: Health, now: Date): Promise<void> {
  const error = health.state === 'unhealthy' ? health.error.slice(0, 2_000) : null;
  await db
    .updateTable('channels')
    .set({
      health: health.state,
      health_error: error,
      health_since: sql<Date>`CASE WHEN health = ${health.state} THEN health_since ELSE ${now}::timestamptz END`,
    })
    .where('id', '=', id)
    .where(sql<boolean>`(health, health_error) IS DISTINCT FROM (${health.state}::text, ${error}::text)`)
    .execute();
}

/** Of all workspaces, for the rotation of the key. */
export async function listChannelsWithSecrets(db: Executor): Promise<{ id: string; secrets: string | null }[]> {
  return db.selectFrom('channels').select(['id', 'secrets']).where('secrets', 'is not', null).orderBy('id').execute();
}

/** False: somebody changed them meanwhile. */
export async function replaceSecrets(
  db: Executor,
  id: string,
  { from, to }: { from: string; to: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('channels')
    .set({ secrets: to })
    .where('id', '=', id)
    .where('secrets', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
