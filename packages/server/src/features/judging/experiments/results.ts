import { setImmediate } from 'node:timers/promises';
import type { ExperimentResults } from '@fanion/contract';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Budget, Gateway } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { StoredResults } from '../../../platform/postgres/schema.ts';
import { listEnvironments } from '../../flags/flags/index.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import { createMeasure, type Exposed, keptFromMs } from '../metrics/index.ts';
import { healthOf, partialOf, silenceOf, skippedOf } from './health-rules.ts';
import { readTraffic } from './health-store.ts';
import { phasesOf, slicingOf } from './phase-rules.ts';
import { overPhases } from './sample-rules.ts';
import * as store from './store.ts';
import { type Compared, compareArms, judge, pointsOf } from './verdict-rules.ts';

/** How old results may be. */
const freshMs = 300_000;
/** How long after the stop what was reported late still counts. */
export const lateMs = 120_000;
/** Of a computation, which does not end with the request that began it, since others may wait for it too. */
export const longestMs = 60_000;

export interface ResultDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly retention: ProjectRetention;
}

/**
 * Whose units are measured, and by what. Of an experiment that runs longer than telemetry is kept, only units whose rows are all there
 * are measured. Throws `EXPERIMENT_STATE` for an experiment that was never started.
 */
export function measuredOf(
  row: store.ExperimentRow,
  place: store.ResultPlace,
  nowMs: number,
  kept: { readonly logs: number; readonly traces: number },
) {
  const { definition, frozen, started_at: started, stopped_at: stopped } = row;
  if (started === null || frozen === null)
    throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'it has no results before it is started' });
  const exposed: Exposed = {
    scope: { ...place, environment: row.environment },
    flag: row.flag,
    arms: definition.variants.map(({ variant }) => variant),
    fromMs: started.getTime(),
    toMs: stopped?.getTime() ?? nowMs,
    pinned: row.id,
  };
  const countedFromMs = keptFromMs(nowMs, kept);
  const isShort = countedFromMs <= exposed.fromMs;
  return {
    exposed: isShort ? exposed : { ...exposed, countedFromMs },
    phases: phasesOf(row),
    metrics: frozen.metrics,
  };
}

/** Results of experiments: computed at most every five minutes, and for the last time two minutes after the stop. */
export function createResults(parts: ResultDependencies) {
  const { db, clock } = parts;
  /** Computations for readers, by experiment. */
  const running = new Map<string, Promise<store.ResultRow>>();

  /** Requests for the same experiment share one computation. */
  async function computeShared(row: store.ExperimentRow, place: store.ResultPlace): Promise<store.ResultRow> {
    const shared = running.get(row.id);
    if (shared !== undefined) return shared;
    const computed = compute(parts, row, place, 'interactive', AbortSignal.timeout(longestMs)).finally(() =>
      running.delete(row.id),
    );
    running.set(row.id, computed);
    return computed;
  }

  return {
    /** For the job, which leaves out what is computed for a reader now. A reader never waits for the job: its lane is slower. */
    async refresh(row: store.ExperimentRow, place: store.ResultPlace, signal: AbortSignal): Promise<void> {
      if (!running.has(row.id)) await compute(parts, row, place, 'background', signal);
    },

    /** Throws `EXPERIMENT_STATE` for an experiment that was never started. */
    async read(
      row: store.ExperimentRow,
      place: store.ResultPlace,
      { refresh }: { readonly refresh: boolean },
    ): Promise<ExperimentResults> {
      if (row.started_at === null)
        throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'it has no results before it is started' });
      const kept = await store.findResults(db, row.id);
      const isFresh = kept !== undefined && clock.now() - kept.computed_at.getTime() < freshMs;
      const isEnough = kept !== undefined && (kept.frozen || (isFresh && !refresh));
      const { results, frozen } = isEnough ? kept : await computeShared(row, place);
      return { experiment: row.id, state: row.state, frozen, ...results };
    },
  };
}

/** Computes and keeps the results. */
async function compute(
  { db, clock, gateway, retention }: ResultDependencies,
  row: store.ExperimentRow,
  place: store.ResultPlace,
  lane: Budget['lane'],
  signal: AbortSignal,
): Promise<store.ResultRow> {
  const at = dateOf(clock);
  // Its telemetry was removed with it, and another environment may have its key now: nothing may replace what was kept.
  const environments = await listEnvironments(db, row.project_id);
  if (!environments.some(({ id }) => id === row.environment_id)) throw fail('NOT_FOUND', { resource: 'environment' });
  const kept = await retention.of(row.project_id);
  const { exposed, phases, metrics: frozen } = measuredOf(row, place, at.getTime(), kept);
  const { definition, stopped_at: stopped } = row;
  const { scope, fromMs, toMs } = exposed;
  const measure = createMeasure(gateway, lane);
  const slicing = slicingOf(phases);
  const { countedFromMs, ...whole } = exposed;
  const [all, traffic] = await Promise.all([
    measure.units(whole, signal, slicing),
    readTraffic(gateway.lane(lane), scope, { flag: row.flag, fromMs, toMs }, signal),
  ]);
  const units = countedFromMs === undefined ? all : await measure.units(exposed, signal, slicing);
  const health = healthOf({ definition, phases, countedFromMs, toMs }, all, traffic);
  const judged = { definition, reliable: health.sample_ratio.ok, elapsedMs: toMs - fromMs };
  const { cuped, cuped_days: days } = definition.analysis;
  const measured = await measure.all(
    exposed,
    frozen.map(({ definition }) => definition),
    { beforeDays: cuped ? days : 0, units, signal, ...(slicing && { slicing }) },
  );
  const compared: Compared[] = [];
  for (const [i, metric] of frozen.entries()) {
    compared.push(compareArms(overPhases(metric, measured[i], exposed.arms, phases.length), judged));
    // Comparing takes milliseconds per metric: other requests come in between.
    await setImmediate();
  }
  const metrics = judge(compared, judged);
  const results: StoredResults = {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    snapshot_at: at.toISOString(),
    reliable: health.sample_ratio.ok,
    health: {
      ...health,
      warnings: [
        ...health.warnings,
        ...partialOf(frozen, phases),
        ...skippedOf(frozen, measured),
        ...silenceOf(frozen, measured),
      ],
    },
    metrics,
  };
  const isFrozen = stopped !== null && at.getTime() - stopped.getTime() >= lateMs;
  const day = new Date(toMs).toISOString().slice(0, 10);
  await store.saveResults(db, row.id, { at, frozen: isFrozen, results, day, points: pointsOf(metrics) });
  return (await store.findResults(db, row.id)) ?? { experiment_id: row.id, computed_at: at, frozen: isFrozen, results };
}

export type Results = ReturnType<typeof createResults>;
