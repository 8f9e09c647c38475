import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { StoredMatcher } from '../../../platform/postgres/schema.ts';
import { type Created, created, ResourceTable } from '../../identity/resources/index.ts';
import type { SilenceStatus } from './rules.ts';

export type SilenceRow = Created<'silences'>;

export const silences = new ResourceTable<
  SilenceRow,
  {
    readonly matchers: readonly StoredMatcher[];
    readonly starts_at: Date;
    readonly ends_at: Date;
    readonly comment: string;
  }
>('silences', { owner: 'workspace_id', json: ['matchers'], rows: (db) => created(db, 'silences') });

export function hasStatus(status: SilenceStatus | undefined, now: Date): RawBuilder<boolean> {
  if (status === 'expired') return sql`r.ends_at <= ${now}`;
  if (status === 'pending') return sql`r.ends_at > ${now} AND r.starts_at > ${now}`;
  if (status === 'active') return sql`r.ends_at > ${now} AND r.starts_at <= ${now}`;
  return sql`TRUE`;
}

/** Those that hold now, of several workspaces. */
export async function listActiveSilences(
  db: Executor,
  workspaceIds: readonly string[],
  now: Date,
): Promise<{ id: string; workspace_id: string; matchers: readonly StoredMatcher[] }[]> {
  if (workspaceIds.length === 0) return [];
  return db
    .selectFrom('silences')
    .select(['id', 'workspace_id', 'matchers'])
    .where('workspace_id', 'in', [...workspaceIds])
    .where('ends_at', '>', now)
    .where('starts_at', '<=', now)
    .orderBy('id')
    .execute();
}

/** The matchers of those that are not over. */
export async function listCurrentMatchers(
  db: Executor,
  workspaceId: string,
  now: Date,
): Promise<(readonly StoredMatcher[])[]> {
  const rows = await db
    .selectFrom('silences')
    .select('matchers')
    .where('workspace_id', '=', workspaceId)
    .where('ends_at', '>', now)
    .execute();
  return rows.map(({ matchers }) => matchers);
}

/** Ends a silence now; returns false where it was over. One that has not begun never holds. */
export async function expireSilence(trx: Executor, id: string, now: Date): Promise<boolean> {
  const row = await trx
    .updateTable('silences')
    .set({ ends_at: now, starts_at: sql`LEAST(starts_at, ${now})` })
    .where('id', '=', id)
    .where('ends_at', '>', now)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function pruneSilences(db: Executor, endedBefore: Date): Promise<void> {
  await db.deleteFrom('silences').where('ends_at', '<', endedBefore).execute();
}

export interface FiringRow {
  readonly id: string;
  readonly rule_id: string;
  readonly rule_name: string;
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The alerts of a workspace that fire. */
export async function listFiring(db: Executor, workspaceId: string): Promise<FiringRow[]> {
  return db
    .selectFrom('alert_instances as i')
    .innerJoin('alert_rules as r', 'r.id', 'i.rule_id')
    .select(['i.id', 'i.rule_id', 'r.name as rule_name', 'i.state', 'i.labels'])
    .where('i.workspace_id', '=', workspaceId)
    .where('i.state', 'in', ['firing', 'recovering', 'no_data', 'error'])
    .orderBy('i.id', 'desc')
    .execute();
}
