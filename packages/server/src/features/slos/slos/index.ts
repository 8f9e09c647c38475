/**
 * An SLO: a job counts the events of the indicator by minute (`derive.ts`), another counts late ones again
 * (`recount.ts`). `slos/budget` computes budgets and burn rates from these minutes, also for alert rules of the kind
 * `slo_burn`.
 */

import { SloDraft, slosRoutes } from '@fanion/contract';
import type { UserCaller } from '../../../http/caller.ts';
import { type Context, implement, type MountedRoute, reply } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import { parseTime, parseWindow, type Window } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { readableProjects } from '../../identity/access/index.ts';
import { findResource, pageOfPlaced, placeIn, presentVersion } from '../../identity/resources/index.ts';
import type { WhyService } from '../../telemetry/why/index.ts';
import { listSteps } from '../budget/index.ts';
import { listDeploysOf } from './deploys.ts';
import { backfillJob, countedSlo, deriveJob } from './derive.ts';
import { stepOf } from './indicator-rules.ts';
import { settledTo } from './late-rules.ts';
import { fromOpenSlo, toOpenSlo } from './openslo-rules.ts';
import { type RecountDependencies, recountJob } from './recount.ts';
import { create, findReadable, remove, replace, resource, type SloDependencies, statusesOf } from './service.ts';
import { findSpentBy } from './spent-by.ts';
import { presentBackfill, readStatus } from './status.ts';
import { isListedSlo, listFlagChanges, type SloRow, slos } from './store.ts';
import { pointsOf, readingOf, stepFor } from './timeseries-rules.ts';

/** Flag changes, and deploys, that one time series shows. */
const maxChanges = 500;

/** SLOs: their definitions, the counting of their events, and how they stand. */
export const slosFeature = {
  name: 'slos/slos',
  routes: handlers,
  jobs: (dependencies: RecountDependencies) => [
    deriveJob(dependencies),
    backfillJob(dependencies),
    recountJob(dependencies),
  ],
} satisfies Feature;

type Dependencies = SloDependencies & { readonly why: WhyService };

function handlers(dependencies: Dependencies): MountedRoute[] {
  const { db } = dependencies;
  return implement(slosRoutes, {
    async listSlos(context) {
      const { workspace, query } = context;
      const found = await pageOfPlaced(db, context, (page, filter) =>
        slos.list(db, workspace.id, page, isListedSlo(filter)),
      );
      const statuses = query.status === 'true' ? await statusesOf(dependencies, context, found.data) : undefined;
      const status = (id: string) => statuses && { status: statuses.get(id) ?? null };
      return reply(
        found.data.map((row) => ({ ...presentSlo(row), ...status(row.id) })),
        { meta: found.meta },
      );
    },
    async createSlo(context) {
      const { project: _project, environment: _environment, ...input } = context.body;
      return presentSlo(await create(dependencies, context, placeIn(context), input));
    },
    getSlo: async ({ workspace, params }) => presentSlo(await findResource(db, resource, workspace.id, params.id)),
    replaceSlo: async (context) => presentSlo(await replace(dependencies, context, context.params.id, context.body)),
    removeSlo: (context) => remove(dependencies, context, context.params.id),
    async exportSlo({ workspace, params }) {
      const { name, definition, project } = await findResource(db, resource, workspace.id, params.id);
      return toOpenSlo({ name, ...definition }, project);
    },
    async importSlo(context) {
      const place = placeIn(context);
      return presentSlo(await create(dependencies, context, place, imported(context.body), 'slos.import'));
    },
    getSloStatus: (context) => sloStatus(dependencies, context),
    getSloTimeseries: (context) => sloTimeseries(dependencies, context),
  });
}

async function sloStatus(
  dependencies: Dependencies,
  { workspace, caller, params, query, signal }: Context<typeof slosRoutes.getSloStatus>,
) {
  const { clock, gateway, config } = dependencies;
  const slo = await findReadable(dependencies, { workspace, caller }, params.id);
  const nowMs = clock.now();
  const window = {
    fromNs: parseTime(query.since ?? 'now-1d', 'since', nowMs),
    toNs: BigInt(nowMs) * 1_000_000n,
  };
  if (window.fromNs >= window.toNs) throw fail('WINDOW_INVALID', { reason: 'since must be before now' });
  const [status, spent] = await Promise.all([
    readStatus(gateway.lane('interactive'), slo, nowMs, signal),
    query.spent_by === 'true' ? spentBy(dependencies, caller, slo, window, signal) : null,
  ]);
  const settled = settledTo(nowMs, config.slos.recountDays);
  return { ...status, settled_to: new Date(settled).toISOString(), spent_by: spent };
}

async function spentBy(
  { access, db, gateway, why }: Dependencies,
  caller: UserCaller,
  slo: SloRow,
  window: Window,
  signal: AbortSignal,
) {
  const readable = await readableProjects(access, db, caller, slo.workspace_id, 'flags:read');
  return findSpentBy({ gateway, why, readable }, slo, window, signal);
}

async function sloTimeseries(
  dependencies: Dependencies,
  { workspace, caller, params, query, signal }: Context<typeof slosRoutes.getSloTimeseries>,
) {
  const { db, clock, gateway } = dependencies;
  const slo = await findReadable(dependencies, { workspace, caller }, params.id);
  const { fromNs, toNs } = parseWindow(query, clock.now());
  const asked = { fromMs: Number(fromNs / 1_000_000n), toMs: Number(toNs / 1_000_000n) };
  const { window, indicator, objective } = slo.definition;
  const stepMs = stepFor(asked, stepOf(indicator));
  const { shown, reading } = readingOf(window, asked, stepMs);
  const [steps, flags, { deploys, warnings }] = await Promise.all([
    listSteps(gateway.lane('interactive'), countedSlo(slo), reading, signal),
    listFlagChanges(db, slo.project_id, slo.environment, {
      from: new Date(shown.fromMs),
      to: new Date(shown.toMs),
      limit: maxChanges,
    }),
    listDeploysOf(gateway, slo, asked, signal),
  ]);
  const changes = [
    ...flags.map(({ kind, key, ...one }) => ({ ...one, kind: 'flag' as const, name: key, action: kind })),
    ...deploys
      .slice(-maxChanges)
      .map(({ service, version, ...one }) => ({ ...one, kind: 'deploy' as const, name: service, action: version })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  const points = pointsOf(window, objective, { shown, reading }, steps).map((point) => ({
    time: new Date(point.atMs).toISOString(),
    good: point.good,
    total: point.total,
    budget_left: point.budgetLeft,
    changes: changes
      .filter(({ at }) => at.getTime() >= point.atMs && at.getTime() < point.atMs + stepMs)
      .map(({ at, ...change }) => ({ ...change, at: at.toISOString() })),
  }));
  return reply(points, { meta: { warnings } });
}

/** Throws `SLO_INVALID` with the path of what cannot be imported. */
function imported({ project, burn_alerts, document }: { project: string; burn_alerts: boolean; document: object }) {
  const refuse = (path: string, problem: string) =>
    fail(
      'SLO_INVALID',
      { reason: `document.${path} ${problem}` },
      { details: [{ path: `document.${path}`, message: problem }] },
    );
  const read = fromOpenSlo(document);
  if ('problem' in read) throw refuse(read.path, read.problem);
  const checked = SloDraft.safeParse({ ...read.slo, project, burn_alerts });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw refuse('spec', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is invalid'}`);
  }
  const { project: _project, environment: _environment, ...input } = checked.data;
  return input;
}

function presentSlo(row: SloRow) {
  return {
    id: row.id,
    name: row.name,
    ...row.definition,
    project: row.project,
    environment: row.environment,
    health: { derived_to: row.derived_to.toISOString(), error: row.last_error },
    backfill: presentBackfill(row),
    ...presentVersion(row),
  };
}
