import type { Config } from '../../../config.ts';
import type { Arrivals } from '../../../platform/arrivals/index.ts';
import { Failure } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { JobKind, JobRun } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { RecentPoints } from '../../../platform/recent-points/index.ts';
import type { TelemetryWriter } from '../../../platform/telemetry-writer.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import type { PromqlEvaluator } from '../../telemetry/promql/index.ts';
import { failureText, isPassing } from '../failures.ts';
import { insertPoints, missingPoints, type WrittenMetric } from './metric-store.ts';
import { askSteps } from './steps.ts';
import {
  type DueRule,
  listBackfills,
  listDue,
  type RecordingRuleRow,
  saveBackfill,
  saveOffset,
  saveProgress,
} from './store.ts';
import { type Wait, waitsOf } from './wait.ts';
import { dueSteps, nextPending, type Progress, type Steps, stepsBefore, UnwritableAnswer } from './write-rules.ts';

const batchSize = 200;
/** Time budget of one run; the next run does the rest. */
const budgetMs = 20_000;
/** How long a rule rests after its query failed. */
const retryMs = 15_000;

export interface RunDependencies {
  readonly db: Database;
  readonly gateway: Gateway;
  readonly promql: Pick<PromqlEvaluator, 'evaluate'>;
  readonly clickhouse: TelemetryWriter;
  readonly recentPoints: Pick<RecentPoints, 'changing'>;
  readonly retention: Pick<ProjectRetention, 'of'>;
  readonly arrivals: Pick<Arrivals, 'refresh' | 'lateMs' | 'storedTo'>;
  readonly log: Log;
  readonly config: { readonly recordingRules: Config['recordingRules'] };
}

/** Writes the steps that are due, rule after rule of each group. */
export function recordJob(dependencies: RunDependencies): JobKind {
  return {
    kind: 'recording_rules.write',
    everyMs: 5_000,
    async run(run) {
      await writeDue(dependencies, run);
      await run.finish();
    },
  };
}

/** Fills the past of rules, the latest steps first. Each part is kept, so an interrupted run continues. */
export function recordBackfillJob(dependencies: RunDependencies): JobKind {
  return {
    kind: 'recording_rules.backfill',
    everyMs: 5_000,
    async run(run) {
      await backfillDue(dependencies, run);
      await run.finish();
    },
  };
}

export async function writeDue(dependencies: RunDependencies, run: JobRun): Promise<void> {
  const { db, log } = dependencies;
  const began = run.now();
  const rules = await listDue(db, new Date(began), batchSize);
  const waitOf = await waitsOf(db, dependencies.arrivals, rules);
  for (const rule of rules) {
    if (run.now() - began > budgetMs) return;
    const wait = waitOf(rule);
    if (wait.offsetMs !== Number(rule.offset_ms)) await saveOffset(db, rule.id, wait.offsetMs);
    try {
      await writeRule(dependencies, rule, wait, run);
    } catch (error) {
      if (run.signal.aborted || !isOfQuery(error)) throw error;
      log.warn({ err: error, rule: rule.id }, 'the query of a recording rule failed');
      const retry_at = new Date(run.now() + retryMs);
      await run.commit((trx) => saveProgress(trx, rule, { error: textOf(error), retry_at }));
    }
  }
}

/** Writes steps of one rule until nothing is due, or its revision is not the current one any more. */
async function writeRule(dependencies: RunDependencies, rule: DueRule, wait: Wait, run: JobRun): Promise<void> {
  let progress = progressOf(rule);
  // A step alone, and then what else is due in one range.
  for (let turn = 0; turn < 3; turn++) {
    const due = dueSteps(progress, wait.settledMs(run.now()));
    if (due.do === 'nothing') return;
    const isNoted = progress.pendingToMs !== undefined;
    const mayExist = isNoted || rule.shares_metric;
    const left = due.do === 'write' ? await writeSteps(dependencies, rule, due, mayExist, run) : 0;
    const pendingToMs = due.do === 'write' ? nextPending(progress, due.toMs, wait.settledMs(run.now())) : undefined;
    progress = { ...progress, watermarkMs: due.toMs, pendingToMs };
    const isCurrent = await run.commit((trx) =>
      saveProgress(trx, rule, {
        watermark: new Date(due.toMs),
        pending_to: pendingToMs === undefined ? null : new Date(pendingToMs),
        ...(due.do === 'skip' && { missed: due.missed }),
        // Of steps that were noted before, an earlier run of this rule may have written points.
        note: left > 0 && !isNoted ? sharedNote(left) : undefined,
      }),
    );
    if (!isCurrent) return;
  }
}

function sharedNote(left: number): string {
  return `Another rule of the same name writes the same series: ${left} ${left === 1 ? 'point was' : 'points were'} left out, which would count twice. Give the rules different names or labels.`;
}

/** @returns how many points were left out because they exist */
async function writeSteps(
  { gateway, promql, clickhouse, recentPoints, retention, config }: RunDependencies,
  rule: RecordingRuleRow,
  steps: Steps,
  mayExist: boolean,
  { signal }: JobRun,
): Promise<number> {
  const metric = await metricOf(rule, retention);
  const asked = {
    ...rule.definition,
    everyMs: Number(rule.every_ms),
    maxSeries: config.recordingRules.series,
  };
  const how = { lane: 'background', signal } as const;
  const { points: found } = await askSteps({ gateway, promql }, metric.scope, asked, steps, how);
  const points = mayExist ? await missingPoints(gateway.lane('background'), metric, found, steps, signal) : found;
  const token = `recording_rules/${rule.id}/${rule.revision}/${steps.fromMs}/${steps.toMs}`;
  const place = { workspace: metric.scope.workspace, metric: metric.name };
  if (points.length > 0)
    await recentPoints.changing(place, () => insertPoints(clickhouse, metric, points, token, signal));
  return found.length - points.length;
}

export async function backfillDue(dependencies: RunDependencies, run: JobRun): Promise<void> {
  const { db, log } = dependencies;
  const began = run.now();
  for (;;) {
    const rules = await listBackfills(db, batchSize);
    for (const rule of rules) {
      const { backfill_from: from, backfill_at: at } = rule;
      if (from === null || at === null) continue;
      if (run.now() - began > budgetMs) return;
      const steps = stepsBefore(at.getTime(), from.getTime(), Number(rule.every_ms));
      try {
        await writeSteps(dependencies, rule, steps, true, run);
      } catch (error) {
        if (run.signal.aborted || !isOfQuery(error) || isPassing(error)) throw error;
        log.warn({ err: error, rule: rule.id }, 'the past of a recording rule could not be written');
        await run.commit((trx) => saveBackfill(trx, rule, { error: textOf(error) }));
        continue;
      }
      await run.commit((trx) => saveBackfill(trx, rule, { at: new Date(steps.fromMs) }));
    }
    if (rules.length === 0) return;
  }
}

async function metricOf(rule: RecordingRuleRow, retention: Pick<ProjectRetention, 'of'>): Promise<WrittenMetric> {
  const { metrics } = await retention.of(rule.project_id);
  return {
    name: rule.name,
    unit: rule.definition.unit,
    retentionDays: metrics,
    language: rule.definition.query_language ?? 'oql',
    scope: {
      workspace: rule.workspace_number,
      project: rule.project_number,
      environment: rule.environment ?? undefined,
    },
  };
}

function progressOf(rule: RecordingRuleRow): Progress {
  return {
    everyMs: Number(rule.every_ms),
    watermarkMs: rule.watermark.getTime(),
    pendingToMs: rule.pending_to?.getTime(),
  };
}

/** Errors of the rule's own query; anything else fails the run, which is tried again. */
function isOfQuery(error: unknown): boolean {
  return error instanceof UnwritableAnswer || error instanceof Failure;
}

function textOf(error: unknown): string {
  return error instanceof UnwritableAnswer ? error.message : failureText(error);
}
