/**
 * A recording rule: a job runs the query for each step and inserts points and series with a token (`run.ts`). The
 * watermark moves while the job holds its lease, so each range is written once.
 */

import { recordingRulesRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { durationText } from '../../../platform/durations.ts';
import { fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import type { Feature } from '../../feature.ts';
import { requireNarrowed } from '../../identity/projects/index.ts';
import { type RunDependencies, recordBackfillJob, recordJob } from './run.ts';
import { createRecordingRuleService, type RecordingRuleDependencies } from './service.ts';
import type { RecordingRuleRow } from './store.ts';
import { lagSeconds } from './write-rules.ts';

/** Recording rules: queries whose answers are written as metrics. */
export const recordingRulesFeature = {
  name: 'slos/recording-rules',
  routes: handlers,
  jobs: (dependencies: RunDependencies) => [recordJob(dependencies), recordBackfillJob(dependencies)],
} satisfies Feature;

function handlers(dependencies: RecordingRuleDependencies): MountedRoute[] {
  const { db, clock } = dependencies;
  const service = createRecordingRuleService(dependencies);
  const present = (row: RecordingRuleRow) => presentRule(row, clock.now());
  return implement(recordingRulesRoutes, {
    async listRecordingRules({ workspace, narrowed, query: { search, limit, cursor } }) {
      const filter = { projectId: narrowed.project?.id, environment: narrowed.environment, search };
      const rows = await service.list(workspace, filter, { after: decodeCursor(cursor, isId), limit });
      await requireNarrowed(db, workspace, narrowed, rows);
      const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
      return page(items.map(present), nextCursor);
    },
    async createRecordingRule({ workspace, narrowed, caller, body, origin, signal }) {
      const { project: _project, environment: _environment, ...input } = body;
      return present(await service.create({ workspace, ...placeOf(narrowed) }, caller, input, origin, signal));
    },
    async previewRecordingRule({ workspace, narrowed, caller, body, signal }) {
      const { project: _project, environment: _environment, ...input } = body;
      return service.preview({ workspace, ...placeOf(narrowed) }, caller, input, signal);
    },
    async getRecordingRule({ workspace, params }) {
      return present(await service.find(workspace, params.id));
    },
    async replaceRecordingRule({ workspace, caller, params, body, origin, signal }) {
      return present(await service.replace(workspace, caller, params.id, body, origin, signal));
    },
    async removeRecordingRule({ workspace, caller, params, origin }) {
      await service.remove(workspace, caller, params.id, origin);
      return undefined;
    },
  });
}

function placeOf<Project>({
  project,
  environment,
}: {
  readonly project: Project | undefined;
  readonly environment: string | undefined;
}) {
  if (project === undefined) throw fail('NOT_FOUND', { resource: 'project' });
  return { project, environment };
}

function presentRule(row: RecordingRuleRow, nowMs: number) {
  const offsetMs = Number(row.offset_ms);
  return {
    id: row.id,
    name: row.name,
    project: row.project,
    environment: row.environment,
    ...row.definition,
    effective_offset: offsetMs === 0 ? '0s' : durationText(offsetMs),
    group: row.rule_group,
    position: row.position,
    enabled: row.enabled,
    version: row.version,
    revision: row.revision,
    watermark: row.watermark.toISOString(),
    lag_seconds: lagSeconds({ watermarkMs: row.watermark.getTime(), offsetMs }, nowMs),
    missed: Number(row.missed),
    last_error: row.last_error,
    backfill: presentBackfill(row),
    created_by: row.created_by === null ? null : { id: row.created_by, name: row.created_by_name ?? '' },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function presentBackfill({
  backfill_from: from,
  backfill_to: to,
  backfill_at: at,
  backfill_error: error,
}: RecordingRuleRow) {
  if (from === null || to === null || at === null) return null;
  const progress = (to.getTime() - at.getTime()) / (to.getTime() - from.getTime());
  const state: 'failed' | 'running' | 'done' = error !== null ? 'failed' : progress < 1 ? 'running' : 'done';
  return { from: from.toISOString(), to: to.toISOString(), state, progress, error };
}
