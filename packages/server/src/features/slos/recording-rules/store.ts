import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { RecordingDefinition, RecordingRuleTable } from '../../../platform/postgres/schema.ts';
import { isListed, type Placed, type PlacedFilter, placeExists, placeNames } from '../../identity/projects/index.ts';

/** A rule with the names of its place. */
export type RecordingRuleRow = Placed<RecordingRuleTable>;

function rules(db: Executor) {
  return db
    .selectFrom('recording_rules as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('workspaces as w', 'w.id', 'r.workspace_id')
    .leftJoin('users as u', 'u.id', 'r.created_by')
    .selectAll('r')
    .select(placeNames)
    .where(placeExists);
}

/** Newest first. */
export async function listRules(
  db: Executor,
  workspaceId: string,
  filter: PlacedFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<RecordingRuleRow[]> {
  return rules(db)
    .where(isListed(workspaceId, filter, after, sql<string>`(r.definition ->> 'query')`))
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute();
}

export async function findRule(db: Executor, workspaceId: string, id: string): Promise<RecordingRuleRow | undefined> {
  return rules(db).where('r.workspace_id', '=', workspaceId).where('r.id', '=', id).executeTakeFirst();
}

/** A rule that is due. */
export type DueRule = RecordingRuleRow & {
  /** Another rule writes the same metric in the same place, perhaps some of the same series. */
  readonly shares_metric: boolean;
};

/** Rules with a step to write, by group and in the order of each. */
export async function listDue(db: Executor, now: Date, limit: number): Promise<DueRule[]> {
  return rules(db)
    .select(
      sql<boolean>`EXISTS (
        SELECT 1 FROM recording_rules o
        WHERE o.workspace_id = r.workspace_id AND o.project_id = r.project_id AND o.name = r.name AND o.environment IS NOT DISTINCT FROM r.environment AND o.id <> r.id AND o.enabled)`.as(
        'shares_metric',
      ),
    )
    .where('r.enabled', '=', true)
    .where(({ or, eb }) => or([eb('r.retry_at', 'is', null), eb('r.retry_at', '<=', now)]))
    .where(sql<boolean>`r.watermark + (r.every_ms + r.offset_ms) * interval '1 millisecond' <= ${now}`)
    .orderBy('r.project_id')
    .orderBy('r.rule_group')
    .orderBy('r.position')
    .orderBy('r.id')
    .limit(limit)
    .execute();
}

/** The rules that are on in the groups of projects: what decides how long the rules of a group wait. */
export async function listGroups(
  db: Executor,
  projectIds: readonly string[],
): Promise<Pick<RecordingRuleRow, 'project_id' | 'rule_group' | 'definition'>[]> {
  if (projectIds.length === 0) return [];
  return db
    .selectFrom('recording_rules')
    .select(['project_id', 'rule_group', 'definition'])
    .where('project_id', 'in', [...projectIds])
    .where('enabled', '=', true)
    .execute();
}

/** Keeps an automatic offset that has changed, for which rules are listed and shown. */
export async function saveOffset(db: Executor, id: string, offsetMs: number): Promise<void> {
  await db.updateTable('recording_rules').set({ offset_ms: offsetMs }).where('id', '=', id).execute();
}

export async function listBackfills(db: Executor, limit: number): Promise<RecordingRuleRow[]> {
  return rules(db)
    .where('r.enabled', '=', true)
    .whereRef('r.backfill_at', '>', 'r.backfill_from')
    .where('r.backfill_error', 'is', null)
    .orderBy('r.id')
    .limit(limit)
    .execute();
}

export async function countRules(db: Executor, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('recording_rules')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export interface RuleValues {
  readonly name: string;
  readonly definition: RecordingDefinition;
  readonly every_ms: number;
  readonly offset_ms: number;
  readonly rule_group: string;
  readonly position: number;
  readonly enabled: boolean;
}

export interface BackfillValues {
  readonly backfill_from: Date;
  readonly backfill_to: Date;
  readonly backfill_at: Date;
}

/** What the rules of a project write and read. */
export async function listGraph(
  db: Executor,
  projectId: string,
): Promise<(Pick<RecordingRuleRow, 'id' | 'name' | 'environment'> & { definition: RecordingDefinition })[]> {
  return db
    .selectFrom('recording_rules')
    .select(['id', 'name', 'environment', 'definition'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
}

export async function insertRule(
  trx: Executor,
  row: RuleValues &
    Partial<BackfillValues> & {
      readonly id: string;
      readonly workspace_id: string;
      readonly project_id: string;
      readonly environment: string | null;
      readonly watermark: Date;
      readonly created_by: string;
      readonly created_at: Date;
    },
): Promise<void> {
  await trx
    .insertInto('recording_rules')
    .values({ ...row, definition: JSON.stringify(row.definition), updated_at: row.created_at })
    .execute();
}

/** Locks the rule, so that of two changes the second one sees what the first one wrote. */
export async function lockRule(trx: Executor, workspaceId: string, id: string): Promise<RecordingRuleRow | undefined> {
  await trx
    .selectFrom('recording_rules')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return findRule(trx, workspaceId, id);
}

/** @param anew set where it writes something else from now on: where it continues */
export async function updateRule(
  trx: Executor,
  id: string,
  values: RuleValues & Partial<BackfillValues>,
  anew: { readonly watermark: Date } | undefined,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('recording_rules')
    .set({
      ...values,
      definition: JSON.stringify(values.definition),
      version: sql`version + 1`,
      updated_at: now,
      ...(values.backfill_from && { backfill_error: null }),
      ...(anew && { ...anew, revision: sql`revision + 1`, pending_to: null, last_error: null, retry_at: null }),
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteRule(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('recording_rules').where('id', '=', id).execute();
}

type Written =
  | {
      readonly watermark: Date;
      readonly pending_to: Date | null;
      readonly missed?: number;
      /** What was left out, although the steps were written. */
      readonly note?: string | undefined;
    }
  | { readonly error: string; readonly retry_at: Date };

/** Of a revision that is still the current one. Returns whether it is. */
export async function saveProgress(
  trx: Executor,
  { id, revision }: Pick<RecordingRuleRow, 'id' | 'revision'>,
  written: Written,
): Promise<boolean> {
  const row = await trx
    .updateTable('recording_rules')
    .set(
      'error' in written
        ? { last_error: written.error, retry_at: written.retry_at }
        : {
            watermark: written.watermark,
            pending_to: written.pending_to,
            missed: sql`missed + ${written.missed ?? 0}`,
            last_error: written.note ?? null,
            retry_at: null,
          },
    )
    .where('id', '=', id)
    .where('revision', '=', revision)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function saveBackfill(
  trx: Executor,
  { id, revision }: Pick<RecordingRuleRow, 'id' | 'revision'>,
  reached: { readonly at: Date } | { readonly error: string },
): Promise<void> {
  await trx
    .updateTable('recording_rules')
    .set('error' in reached ? { backfill_error: reached.error } : { backfill_at: reached.at })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .execute();
}
