import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { RecordingDefinition } from '../../../platform/postgres/schema.ts';
import { isListed, type PlacedFilter } from '../../identity/projects/index.ts';
import { type Placed, placed, ResourceTable } from '../../identity/resources/index.ts';

/** A rule with the names of its place. */
export type RecordingRuleRow = Placed<'recording_rules'>;

export interface RuleValues {
  readonly name: string;
  readonly definition: RecordingDefinition;
  readonly rule_group: string;
  readonly position: number;
  readonly enabled: boolean;
}

export interface BackfillValues {
  readonly backfill_from: Date;
  readonly backfill_to: Date;
  readonly backfill_at: Date;
}

export const recordingRules = new ResourceTable<RecordingRuleRow, RuleValues>('recording_rules', {
  owner: 'workspace_id',
  json: ['definition'],
  rows: (db) => placed(db, 'recording_rules'),
});

export const isListedRule = (filter: PlacedFilter) => isListed(filter, sql`(r.definition ->> 'query')`);

/** What a rule is written with that writes something else from now on. */
export function writtenFrom(watermark: Date) {
  return { watermark, revision: sql`revision + 1`, pending_to: null, last_error: null, retry_at: null };
}

/** A rule that is due. */
export type DueRule = RecordingRuleRow & {
  /** Another rule writes the same metric in the same place, perhaps some of the same series. */
  readonly shares_metric: boolean;
};

/** Rules with a step to write, by group and in the order of each. */
export async function listDue(db: Executor, now: Date, limit: number): Promise<DueRule[]> {
  return placed(db, 'recording_rules')
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
  return placed(db, 'recording_rules')
    .where('r.enabled', '=', true)
    .whereRef('r.backfill_at', '>', 'r.backfill_from')
    .where('r.backfill_error', 'is', null)
    .orderBy('r.id')
    .limit(limit)
    .execute();
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

type Written =
  | {
      readonly watermark: Date;
      readonly pending_to: Date | null;
      readonly missed?: number;
      /** What was left out, although the steps were written. */
      readonly note?: string | undefined;
    }
  | { readonly error: string; readonly retry_at: Date };

/**
 * After a restore: telemetry may have the step that each rule writes next, and the store does not know its token any more. A noted range is
 * written without the points that exist.
 */
export async function noteNextSteps(trx: Executor): Promise<void> {
  await trx
    .updateTable('recording_rules')
    .set({ pending_to: sql`watermark + every_ms * interval '1 millisecond'` })
    .where('pending_to', 'is', null)
    .where('enabled', '=', true)
    .execute();
}

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
