/**
 * A recording rule: a job runs the query for each step and inserts points and series with a token (`run.ts`). The
 * watermark moves while the job holds its lease, so each range is written once.
 */

import { recordingRulesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { durationText } from '../../../platform/durations.ts';
import type { Feature } from '../../feature.ts';
import { findResource, pageOfPlaced, placeIn, presentVersion } from '../../identity/resources/index.ts';
import { type RunDependencies, recordBackfillJob, recordJob } from './run.ts';
import { create, preview, type RecordingRuleDependencies, remove, replace, resource } from './service.ts';
import { isListedRule, type RecordingRuleRow, recordingRules } from './store.ts';
import { lagSeconds } from './write-rules.ts';

export { isListedRule as isListedRecording, noteNextSteps, recordingRules } from './store.ts';

/** Recording rules: queries whose answers are written as metrics. */
export const recordingRulesFeature = {
  name: 'slos/recording-rules',
  routes: handlers,
  jobs: (dependencies: RunDependencies) => [recordJob(dependencies), recordBackfillJob(dependencies)],
} satisfies Feature;

function handlers(parts: RecordingRuleDependencies): MountedRoute[] {
  const { db, clock } = parts;
  const present = (row: RecordingRuleRow) => presentRule(row, clock.now());
  return implement(recordingRulesRoutes, {
    listRecordingRules: (context) =>
      pageOfPlaced(db, context, async (page, filter) =>
        (await recordingRules.list(db, context.workspace.id, page, isListedRule(filter))).map(present),
      ),
    async createRecordingRule(context) {
      const { project: _project, environment: _environment, ...input } = context.body;
      return present(await create(parts, context, placeIn(context), input));
    },
    async previewRecordingRule(context) {
      const { project: _project, environment: _environment, replaces, ...input } = context.body;
      return preview(parts, context, placeIn(context), input, replaces);
    },
    getRecordingRule: async ({ workspace, params }) =>
      present(await findResource(db, resource, workspace.id, params.id)),
    replaceRecordingRule: async (context) => present(await replace(parts, context, context.params.id, context.body)),
    removeRecordingRule: (context) => remove(parts, context, context.params.id),
  });
}

function presentRule(row: RecordingRuleRow, nowMs: number) {
  const offsetMs = Number(row.offset_ms);
  return {
    id: row.id,
    name: row.name,
    project: row.project,
    environment: row.environment,
    ...row.definition,
    query_language: row.definition.query_language ?? 'oql',
    effective_offset: offsetMs === 0 ? '0s' : durationText(offsetMs),
    group: row.rule_group,
    position: row.position,
    enabled: row.enabled,
    revision: row.revision,
    watermark: row.watermark.toISOString(),
    lag_seconds: lagSeconds({ watermarkMs: row.watermark.getTime(), offsetMs }, nowMs),
    missed: Number(row.missed),
    last_error: row.last_error,
    backfill: presentBackfill(row),
    ...presentVersion(row),
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
