import { type Selectable, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { InhibitionRuleTable, StoredMatcher } from '../../../platform/postgres/schema.ts';

export type InhibitionRuleRow = Selectable<InhibitionRuleTable> & { readonly created_by_name: string | null };

function rules(db: Executor, workspaceId: string) {
  return db
    .selectFrom('inhibition_rules as r')
    .leftJoin('users as u', 'u.id', 'r.created_by')
    .selectAll('r')
    .select('u.name as created_by_name')
    .where('r.workspace_id', '=', workspaceId);
}

/** Newest first. */
export async function listRules(
  db: Executor,
  workspaceId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<InhibitionRuleRow[]> {
  const query = rules(db, workspaceId).orderBy('r.id', 'desc').limit(limit);
  return (after === undefined ? query : query.where('r.id', '<', after)).execute();
}

export async function findRule(db: Executor, workspaceId: string, id: string): Promise<InhibitionRuleRow | undefined> {
  return rules(db, workspaceId).where('r.id', '=', id).executeTakeFirst();
}

/** Locks the rule, so that of two changes the second one sees what the first one wrote. */
export async function lockRule(trx: Executor, workspaceId: string, id: string): Promise<InhibitionRuleRow | undefined> {
  const held = trx.selectFrom('inhibition_rules').select('id').where('workspace_id', '=', workspaceId);
  await held.where('id', '=', id).forUpdate().execute();
  return findRule(trx, workspaceId, id);
}

export interface InhibitionValues {
  readonly name: string;
  readonly source: readonly StoredMatcher[];
  readonly target: readonly StoredMatcher[];
  readonly equal: readonly string[];
}

export interface StoredInhibitionRule extends InhibitionValues {
  readonly id: string;
  readonly workspace_id: string;
}

/** Every rule of several workspaces. */
export async function listInhibitionRules(
  db: Executor,
  workspaceIds: readonly string[],
): Promise<StoredInhibitionRule[]> {
  if (workspaceIds.length === 0) return [];
  return db
    .selectFrom('inhibition_rules')
    .select(['id', 'workspace_id', 'name', 'source', 'target', 'equal'])
    .where('workspace_id', 'in', [...workspaceIds])
    .orderBy('id')
    .execute();
}

function columnsOf({ name, source, target, equal }: InhibitionValues) {
  return { name, source: JSON.stringify(source), target: JSON.stringify(target), equal: JSON.stringify(equal) };
}

export async function insertRule(
  trx: Executor,
  row: InhibitionValues & {
    readonly id: string;
    readonly workspace_id: string;
    readonly created_by: string;
    readonly created_at: Date;
  },
): Promise<void> {
  const { id, workspace_id, created_by, created_at } = row;
  await trx
    .insertInto('inhibition_rules')
    .values({ id, workspace_id, created_by, created_at, updated_at: created_at, ...columnsOf(row) })
    .execute();
}

export async function updateRule(trx: Executor, id: string, values: InhibitionValues, now: Date): Promise<void> {
  await trx
    .updateTable('inhibition_rules')
    .set({ ...columnsOf(values), version: sql`version + 1`, updated_at: now })
    .where('id', '=', id)
    .execute();
}

export async function deleteRule(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('inhibition_rules').where('id', '=', id).execute();
}
