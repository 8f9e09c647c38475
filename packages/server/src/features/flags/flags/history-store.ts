import type { Difference } from '@fanion/contract';
import { type Selectable, sql } from 'kysely';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FlagHistoryTable } from '../../../platform/postgres/schema.ts';
import { type Authorship, only } from '../../change-kind.ts';

export interface HistoryFact {
  readonly flagId: string;
  /** null: all environments. */
  readonly environmentId: string | null;
  readonly kind: FlagHistoryTable['kind'];
  readonly version: number;
  readonly flagVersion: number | null;
  readonly diff: readonly Difference[];
  /** The state that restoring the entry brings back; null if nothing can be restored. */
  readonly after: unknown;
}

export interface HistoryEntry {
  readonly authorship: Authorship;
  readonly fact: HistoryFact;
}

/** Writes an applied change to the history of its flag, in the transaction of the change. Returns the entry's id. */
export async function recordHistory(trx: Executor, authorship: Authorship, fact: HistoryFact): Promise<string> {
  return only(await recordHistories(trx, [{ authorship, fact }]));
}

/** The same for several changes. */
export async function recordHistories(trx: Executor, entries: readonly HistoryEntry[]): Promise<string[]> {
  if (entries.length === 0) return [];
  const rows = entries.map(({ authorship: { actor, now, comment, changeId }, fact }) => ({
    id: newId(now.getTime()),
    flag_id: fact.flagId,
    environment_id: fact.environmentId,
    at: now,
    kind: fact.kind,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    version: fact.version,
    flag_version: fact.flagVersion,
    comment,
    diff: JSON.stringify(fact.diff),
    after: JSON.stringify(fact.after),
    change_id: changeId,
  }));
  await trx.insertInto('flag_history').values(rows).execute();
  return rows.map(({ id }) => id);
}

type HistoryRow = Omit<Selectable<FlagHistoryTable>, 'after'> & {
  readonly environment: string | null;
  readonly restorable: boolean;
};

const columns = [
  'h.id',
  'h.flag_id',
  'h.environment_id',
  'h.at',
  'h.kind',
  'h.actor_type',
  'h.actor_id',
  'h.actor_name',
  'h.version',
  'h.flag_version',
  'h.comment',
  'h.diff',
  'h.change_id',
  'e.key as environment',
] as const;

function select(db: Executor) {
  return db
    .selectFrom('flag_history as h')
    .leftJoin('environments as e', 'e.id', 'h.environment_id')
    .select(columns)
    .select(sql<boolean>`h.after <> 'null'::jsonb AND h.kind <> 'created'`.as('restorable'))
    .where((eb) => eb.or([eb('h.environment_id', 'is', null), eb('e.deleted_at', 'is', null)]));
}

/** Newest first. With `environmentId`, only entries of that environment and of all environments; `to` is exclusive. */
export async function listHistory(
  db: Executor,
  flagId: string,
  {
    environmentId,
    after,
    limit,
    from,
    to,
  }: {
    readonly environmentId: string | undefined;
    readonly after: string | undefined;
    readonly limit: number;
    readonly from?: Date;
    readonly to?: Date;
  },
): Promise<HistoryRow[]> {
  let query = select(db).where('h.flag_id', '=', flagId).orderBy('h.id', 'desc').limit(limit);
  if (after !== undefined) query = query.where('h.id', '<', after);
  if (from !== undefined) query = query.where('h.at', '>=', from);
  if (to !== undefined) query = query.where('h.at', '<', to);
  if (environmentId !== undefined)
    query = query.where((eb) =>
      eb.or([eb('h.environment_id', 'is', null), eb('h.environment_id', '=', environmentId)]),
    );
  return query.execute();
}

export async function findHistory(
  db: Executor,
  flagId: string,
  id: string,
): Promise<(HistoryRow & { readonly after: unknown }) | undefined> {
  return select(db).select('h.after').where('h.flag_id', '=', flagId).where('h.id', '=', id).executeTakeFirst();
}

/** The entries of an environment's targeting, newest first, each with what restoring it brings back. */
export async function listVersions(
  db: Executor,
  place: { readonly flagId: string; readonly environmentId: string },
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<(HistoryRow & { readonly after: unknown })[]> {
  let query = select(db)
    .select('h.after')
    .where('h.flag_id', '=', place.flagId)
    .where('h.environment_id', '=', place.environmentId)
    .orderBy('h.id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('h.id', '<', before);
  return query.execute();
}

export function presentHistory(row: HistoryRow) {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: { type: row.actor_type as 'user' | 'token' | 'system', id: row.actor_id, name: row.actor_name },
    kind: row.kind,
    environment: row.environment,
    version: row.version,
    flag_version: row.flag_version,
    comment: row.comment,
    diff: row.diff as Difference[],
    change_id: row.change_id,
    restorable: row.restorable,
  };
}
