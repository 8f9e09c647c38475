import type { Executor } from '../../../platform/postgres/database.ts';
import type { StoredMatcher } from '../../../platform/postgres/schema.ts';
import { type Authored, authored, ResourceTable } from '../../identity/resources/index.ts';

export type InhibitionRuleRow = Authored<'inhibition_rules'>;

export interface InhibitionValues {
  readonly name: string;
  readonly source: readonly StoredMatcher[];
  readonly target: readonly StoredMatcher[];
  readonly equal: readonly string[];
}

export const inhibitionRules = new ResourceTable<InhibitionRuleRow, InhibitionValues>('inhibition_rules', {
  owner: 'workspace_id',
  json: ['source', 'target', 'equal'],
  rows: (db) => authored(db, 'inhibition_rules'),
});

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
