import { setImmediate } from 'node:timers/promises';
import type { ExperimentResults } from '@fanion/contract';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import type { Budget, Gateway } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { StoredResults } from '../../../platform/postgres/schema.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import { createMeasure } from '../metrics/index.ts';
import { readTraffic } from './health-store.ts';
import { type Compared, compareArms, healthOf, judge, type Measured, pointsOf } from './results-rules.ts';
import * as store from './store.ts';

/** How old results may be. */
const freshMs = 300_000;
/** How long after the stop what was reported late still counts. */
export const lateMs = 120_000;
/** Of a computation, which does not end with the request that began it, since others may wait for it too. */
const longestMs = 60_000;
/** Metrics that are measured at once. */
const together = 3;

export interface ResultDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly retention: ProjectRetention;
}

/** Results of experiments: computed at most every five minutes, and for the last time two minutes after the stop. */
export function createResults({ db, clock, gateway, retention }: ResultDependencies) {
  const running = new Map<string, Promise<store.ResultRow>>();

  /** Computes and keeps the results. Requests for the same experiment share one computation. */
  async function compute(
    row: store.ExperimentRow,
    place: store.ResultPlace,
    lane: Budget['lane'],
    signal: AbortSignal,
  ): Promise<store.ResultRow> {
    const shared = running.get(row.id);
    if (shared !== undefined) return shared;
    const computed = computeAlone(row, place, lane, signal).finally(() => running.delete(row.id));
    running.set(row.id, computed);
    return computed;
  }

  async function computeAlone(
    row: store.ExperimentRow,
    place: store.ResultPlace,
    lane: Budget['lane'],
    signal: AbortSignal,
  ): Promise<store.ResultRow> {
    const { definition, frozen, started_at: started, stopped_at: stopped } = row;
    if (started === null || frozen === null)
      throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'start it first' });
    const at = dateOf(clock);
    const [fromMs, toMs] = [started.getTime(), (stopped ?? at).getTime()];
    const scope = { ...place, environment: row.environment };
    const exposed = { scope, flag: row.flag, arms: definition.variants.map(({ variant }) => variant), fromMs, toMs };
    const measure = createMeasure(gateway, lane);
    const [units, traffic, kept] = await Promise.all([
      measure.units(exposed, signal),
      readTraffic(gateway.lane(lane), scope, { flag: row.flag, fromMs, toMs }, signal),
      retention.of(row.project_id),
    ]);
    const health = healthOf({ definition, retentionDays: kept.logs, fromMs, toMs }, units, traffic);
    const judged = { definition, reliable: health.sample_ratio.ok, elapsedMs: toMs - fromMs };
    const compared: Compared[] = [];
    const { cuped, cuped_days: days } = definition.analysis;
    for (let i = 0; i < frozen.metrics.length; i += together) {
      const part = await Promise.all(
        frozen.metrics.slice(i, i + together).map(async (metric): Promise<Measured> => {
          try {
            const options = { beforeDays: cuped ? days : 0, units, signal };
            return { metric, sums: await measure.sums(exposed, metric.definition, options) };
          } catch (error) {
            // A metric that cannot be measured does not hide the others; a store that is down does.
            if (!(error instanceof Failure) || error.status >= 429) throw error;
            return { metric, sums: { error: error.message } };
          }
        }),
      );
      for (const measured of part) {
        compared.push(compareArms(measured, judged));
        // Comparing takes milliseconds per metric: other requests come in between.
        await setImmediate();
      }
    }
    const metrics = judge(compared, judged);
    const results: StoredResults = {
      from: started.toISOString(),
      to: new Date(toMs).toISOString(),
      snapshot_at: at.toISOString(),
      reliable: health.sample_ratio.ok,
      health,
      metrics,
    };
    const isFrozen = stopped !== null && at.getTime() - stopped.getTime() >= lateMs;
    const day = new Date(toMs).toISOString().slice(0, 10);
    await store.saveResults(db, row.id, { at, frozen: isFrozen, results, day, points: pointsOf(metrics) });
    return (
      (await store.findResults(db, row.id)) ?? { experiment_id: row.id, computed_at: at, frozen: isFrozen, results }
    );
  }

  return {
    compute,

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
      const { results, frozen } = isEnough
        ? kept
        : await compute(row, place, 'interactive', AbortSignal.timeout(longestMs));
      return { experiment: row.id, state: row.state, frozen, ...results };
    },
  };
}

export type Results = ReturnType<typeof createResults>;
