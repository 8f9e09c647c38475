/**
 * An experiment: `start-change.ts` takes the fallthrough of the flag and freezes the definition. `results.ts` measures
 * each metric (`judging/metrics/measure.ts`), and `verdict-rules.ts` compares the sums (`packages/stats`). Results are
 * kept by day, and frozen after the stop.
 */

import { experimentsRoutes } from '@fanion/contract';
import type { UserCaller } from '../../../http/caller.ts';
import { type Context, implement, type MountedRoute, reply } from '../../../http/context.ts';
import { pageById } from '../../../http/cursor.ts';
import { fail } from '../../../platform/fail.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { type Place, presentSubmitted, requirePlace } from '../../flags/flags/index.ts';
import { presentVersion } from '../../identity/resources/index.ts';
import { createCalculator } from './calculator.ts';
import * as explore from './explore.ts';
import { resultsJob } from './job.ts';
import * as lifecycle from './lifecycle.ts';
import { phasesOf } from './phase-rules.ts';
import { createReplay } from './replay.ts';
import type { ResultDependencies, Results } from './results.ts';
import type { ServiceDependencies } from './service.ts';
import * as service from './service.ts';
import { startChange } from './start-change.ts';
import { type ExperimentRow, experiments, isListed, listDays } from './store.ts';
import { type UnitsDependencies, unitsJob } from './units-job.ts';

export { createResults, type Results } from './results.ts';

interface Computed {
  readonly experimentResults: Results;
}
type ExperimentDependencies = ServiceDependencies & ResultDependencies & lifecycle.LifecycleDependencies & Computed;

/** Experiments: flags whose variants are compared by metrics. */
export const experimentsFeature = {
  name: 'judging/experiments',
  routes: handlers,
  jobs: (dependencies: FeatureDependencies & UnitsDependencies & Computed) => [
    resultsJob(dependencies),
    unitsJob(dependencies),
  ],
  changeKinds: [startChange],
} satisfies Feature;

/** A table, and as long as the list of routes: each entry is a step of the product and the form of its answer. */
function handlers(dependencies: ExperimentDependencies): MountedRoute[] {
  const replay = createReplay(dependencies);
  const calculator = createCalculator(dependencies);
  return implement(experimentsRoutes, {
    listExperiments: (context) => listed(dependencies, context),
    createExperiment: async ({ workspace, project, caller, body, origin }) =>
      present(await service.create(dependencies, { workspace, project }, caller, body, origin)),
    calculateExperiment: (context) => calculated(dependencies, calculator, context),
    getExperiment: async ({ project, params }) => present(await service.find(dependencies, project.id, params.id)),
    replaceExperiment: async ({ workspace, project, caller, params, body, origin }) =>
      present(await service.replace(dependencies, { workspace, project }, params.id, body, { caller, origin })),
    async removeExperiment({ workspace, project, params, origin }) {
      await service.remove(dependencies, { workspace, project }, params.id, origin);
      return undefined;
    },
    startExperiment: async ({ workspace, project, caller, params, body, origin }) =>
      presentSubmitted(
        await lifecycle.start(dependencies, { workspace, project }, { caller, origin }, params.id, body ?? {}),
        present,
      ),
    replayExperiment: (context) => replayed(dependencies, replay, context),
    beginPhase: async ({ workspace, project, caller, params, body, origin }) =>
      presentSubmitted(
        await lifecycle.beginPhase(dependencies, { workspace, project }, { caller, origin }, params.id, body),
        present,
      ),
    stopExperiment: (context) => stopped(dependencies, context),
    archiveExperiment: async ({ workspace, project, caller, params, body, origin }) =>
      present(
        await lifecycle.archive(dependencies, { workspace, project }, { caller, origin }, params.id, body?.comment),
      ),
    applyWinner: async ({ workspace, project, caller, params, body, origin }) =>
      presentSubmitted(
        await lifecycle.applyWinner(dependencies, { workspace, project }, { caller, origin }, params.id, body),
        present,
      ),
    async getExperimentMetrics({ project, params }) {
      const { definition, version } = await service.find(dependencies, project.id, params.id);
      return { ...definition.metrics, version };
    },
    async replaceExperimentMetrics({ workspace, project, caller, params, body, origin }) {
      const { version, ...metrics } = body;
      const place = { workspace, project };
      return service.replaceMetrics(dependencies, place, params.id, { version, metrics }, { caller, origin });
    },
    getExperimentResults: (context) => resultsOf(dependencies, context),
    async getExperimentNovelty(context) {
      const { row, place } = await measurable(dependencies, context);
      return explore.novelty(dependencies, row, place, context.query.metric, context.signal);
    },
    async listExperimentInteractions(context) {
      const { row, place } = await measurable(dependencies, context);
      const { interactions, warnings } = await explore.interactions(dependencies, row, place, context.signal);
      return reply(interactions, { meta: { warnings } });
    },
    getExperimentTimeseries: (context) => timeseriesOf(dependencies, context),
  });
}

/** An experiment whose telemetry the caller may read, and where it is measured. */
async function measurable(
  dependencies: ExperimentDependencies,
  {
    workspace,
    project,
    caller,
    params,
  }: Place & { readonly caller: UserCaller; readonly params: { readonly id: string } },
) {
  const row = await service.find(dependencies, project.id, params.id);
  await service.requireTelemetry(dependencies, { workspace, project }, caller, row.environment_id);
  return { row, place: { workspace: workspace.number, project: project.number } };
}

function listed(
  { db }: ExperimentDependencies,
  { workspace, project, query }: Context<typeof experimentsRoutes.listExperiments>,
) {
  return pageById(query, async (page) => {
    const rows = await experiments.list(db, project.id, page, isListed(query));
    if (rows.length === 0) await requirePlace(db, { workspace, project }, { flag: query.flag });
    return rows.map(present);
  });
}

async function calculated(
  dependencies: ExperimentDependencies,
  calculator: ReturnType<typeof createCalculator>,
  { workspace, project, caller, query, signal }: Context<typeof experimentsRoutes.calculateExperiment>,
) {
  const place = { workspace, project };
  if (query.metric !== undefined) await service.requireTelemetry(dependencies, place, caller, query.environment);
  return calculator(place, query, signal);
}

async function replayed(
  dependencies: ExperimentDependencies,
  replay: ReturnType<typeof createReplay>,
  { workspace, project, caller, params, body, origin, signal }: Context<typeof experimentsRoutes.replayExperiment>,
) {
  const row = await service.find(dependencies, project.id, params.id);
  const place = { workspace, project };
  await service.requireTelemetry(dependencies, place, caller, row.environment_id);
  const reseed = body?.reseed === true;
  await replay(row, { workspace: workspace.number, project: project.number }, { reseed, signal });
  return present(
    await service.write(dependencies, project.id, async (trx, now) => {
      const after = await service.find(dependencies, project.id, row.id, trx);
      const told = { salt: after.salt, ok: after.replay?.replay.ok ?? null };
      const entry = { action: 'experiments.replay', before: { salt: row.salt }, after: told };
      await service.audit(trx, origin, place, after, entry, now);
      return after;
    }),
  );
}

/** The job computes the results when the store is down now, and once more for what was reported late. */
async function stopped(
  dependencies: ExperimentDependencies,
  { workspace, project, caller, params, body, origin, log }: Context<typeof experimentsRoutes.stopExperiment>,
) {
  const row = await lifecycle.stop(dependencies, { workspace, project }, { caller, origin }, params.id, body?.comment);
  const place = { workspace: workspace.number, project: project.number };
  await dependencies.experimentResults.read(row, place, { refresh: true }).catch((error: unknown) => {
    log.warn({ err: error, experiment: row.id }, 'the results of a stopped experiment could not be computed yet');
  });
  return present(row);
}

async function resultsOf(
  dependencies: ExperimentDependencies,
  context: Context<typeof experimentsRoutes.getExperimentResults>,
) {
  const { query } = context;
  const { row, place } = await measurable(dependencies, context);
  const found = await dependencies.experimentResults.read(row, place, { refresh: query.refresh === true });
  const { dimension: expression } = query;
  if (expression === undefined) return { ...found, dimension: null };
  const dimension = await explore.dimension(dependencies, row, place, expression, {
    reliable: found.reliable,
    signal: context.signal,
  });
  return { ...found, dimension };
}

async function timeseriesOf(
  dependencies: ExperimentDependencies,
  context: Context<typeof experimentsRoutes.getExperimentTimeseries>,
) {
  const { query } = context;
  const { row, place } = await measurable(dependencies, context);
  // Today has its numbers only after the results were computed once.
  await dependencies.experimentResults.read(row, place, { refresh: false });
  const measured = row.frozen?.metrics ?? [];
  const idOf = new Map(measured.map(({ id, key }) => [key, id]));
  const wanted = measured.find(({ id, key }) => id === query.metric || key === query.metric)?.key;
  if (query.metric !== undefined && wanted === undefined)
    throw fail('EXPERIMENT_INVALID', { reason: `metric: the experiment has no metric "${query.metric}"` });
  const days = await listDays(dependencies.db, row.id);
  return days.flatMap(({ day, points }) =>
    points
      .filter(({ metric }) => wanted === undefined || metric === wanted)
      .map((point) => ({ ...point, time: `${day}T00:00:00.000Z`, metric: idOf.get(point.metric) ?? point.metric })),
  );
}

/** What replays of earlier versions lack. */
const earlierReplay = { days: 14, warnings: [] };

function present(row: ExperimentRow) {
  const { definition } = row;
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    flag: row.flag,
    environment: row.environment,
    ...definition,
    state: row.state,
    phases: phasesOf(row).map((phase, i, all) => ({
      ...phase,
      // Phases of earlier versions have none.
      audience: phase.audience ?? [],
      to: all[i + 1]?.from ?? row.stopped_at?.toISOString() ?? null,
    })),
    replay: row.replay === null ? null : { ...earlierReplay, ...row.replay.replay },
    started_at: row.started_at?.toISOString() ?? null,
    stopped_at: row.stopped_at?.toISOString() ?? null,
    winner: row.winner,
    winner_change: row.winner_change_id,
    ...presentVersion(row),
  };
}
