/**
 * The data of a dashboard: variables are bound to the queries of its panels (`packages/oql/src/variables/bind.ts`).
 * Equal queries run once, a few at a time, in the lane `dashboard`, for a window of whole steps (`window-rules.ts`).
 * The answer is a line of NDJSON per panel (`data.ts`).
 */

import { dashboardsRoutes } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { BodyThread } from '../../../http/body-thread.ts';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { type Context, implement, type MountedRoute, page, reply } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import type { Egress } from '../../../platform/egress/index.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { readableProjects, requireReadable } from '../../identity/access/index.ts';
import { pageOfPlaced, presentVersion as presentAuthors } from '../../identity/resources/index.ts';
import type { QueryService } from '../../telemetry/query/index.ts';
import { createDashboardData } from './data.ts';
import { createDocuments, type Documents } from './from-url/fetch-document.ts';
import { convertGrafana } from './grafana/convert.ts';
import { dashboardData, optionsFor, type Parts, previewData, scopeOfDashboard, variableOptions } from './reading.ts';
import { repeatedPanels } from './repeated.ts';
import { compare, create, find, remove, replace, rollback } from './service.ts';
import { snapshotExpiryJob } from './snapshots/expiry.ts';
import { snapshotHandlers } from './snapshots/handlers.ts';
import { createSnapshotService } from './snapshots/service.ts';
import { type DashboardListRow, type DashboardRow, listDashboards, listVersions, type VersionRow } from './store.ts';
import { warningsOf } from './warnings.ts';

/** Dashboards, their versions and their data. */
export const dashboardsFeature = {
  name: 'dashboards/dashboards',
  routes: handlers,
  jobs: ({ db, clock }: Pick<FeatureDependencies, 'db' | 'clock'>) => [snapshotExpiryJob(db, clock)],
} satisfies Feature;

const isVersion = (text: string) => /^[1-9]\d{0,8}$/.test(text);

type Dependencies = FeatureDependencies & {
  readonly egress: Egress;
  readonly bodyThread: BodyThread;
  readonly queries: QueryService;
  readonly gateway: Pick<Gateway, 'compiler'>;
  readonly config: Pick<Config, 'dashboards'>;
};

function handlers({ queries, gateway, config, egress, bodyThread, ...dependencies }: Dependencies): MountedRoute[] {
  const { db, access, clock, log } = dependencies;
  const { limits, data: dataLimits, snapshots: snapshotLimits, importBytes } = config.dashboards;
  const data = createDashboardData({ queries, compiler: gateway.compiler, clock, log, limits: dataLimits });
  const documents = createDocuments({ egress, thread: bodyThread, maxBytes: importBytes });
  const parts: Parts = { db, clock, access, gateway, queries, data, limits, dataLimits };
  const ofSnapshots = snapshotHandlers({
    snapshots: createSnapshotService({ db, clock, limits: snapshotLimits }),
    data,
    findDashboard: (workspace, id) => find(db, workspace, id),
    requireReadable: ({ workspace, project, environment }, caller) =>
      requireReadable(access, caller, {
        workspace,
        project: project ?? undefined,
        environment: environment ?? undefined,
      }),
    scopeOf: (workspace, caller, row, values) => scopeOfDashboard(parts, { workspace, caller }, row, values),
    repeated: (asking, ...asked) => repeatedPanels(optionsFor(parts, asking), ...asked),
  });

  const ofDashboards = implement(dashboardsRoutes, {
    listDashboards: (context) =>
      pageOfPlaced(db, context, async (page, filter) =>
        (await listDashboards(db, context.workspace.id, filter, context.query.tag, page)).map(presentSummary),
      ),
    createDashboard: async (context) =>
      saved(parts, context, await create(parts, context, context.narrowed, context.body)),
    getDashboard: async ({ workspace, params }) => present(await find(db, workspace, params.id)),
    replaceDashboard: async (context) =>
      saved(parts, context, await replace(parts, context, context.narrowed, context.params.id, context.body)),
    removeDashboard: (context) => remove(parts, context, context.params.id, context.query.source),
    async listDashboardVersions({ workspace, params, query: { limit, cursor } }) {
      const before = decodeCursor(cursor, isVersion);
      const { id } = await find(db, workspace, params.id);
      const range = { before: before === undefined ? undefined : Number(before), limit: limit + 1 };
      const { items, nextCursor } = cutPage(await listVersions(db, id, range), limit, ({ version }) => String(version));
      return page(items.map(presentVersion), nextCursor);
    },
    async getDashboardVersion({ workspace, params, query }) {
      const { found, against, changes } = await compare(db, workspace, params.id, params.version, query.against);
      return { ...presentVersion(found), model: found.model, against, changes };
    },
    rollbackDashboard: async (context) =>
      present(await rollback(parts, context, context.params.id, context.params.version)),
    getDashboardData: (context) => dashboardData(parts, context),
    previewDashboard: (context) => previewData(parts, context),
    convertDashboard: (context) => converted(parts, documents, context),
    listVariableOptions: (context) => variableOptions(parts, context),
  });
  return [...ofDashboards, ...ofSnapshots];
}

/** A dashboard that was written, with what it will not show. */
async function saved(
  { db, access, queries, data }: Parts,
  { workspace, caller, signal }: { workspace: WorkspaceRef; caller: UserCaller; signal: AbortSignal },
  row: DashboardRow,
) {
  // Whether a text is valid does not depend on the place.
  const scope = { workspace, project: undefined, environment: undefined };
  const isNarrowed = row.model.variables.some(({ type }) => type === 'project');
  const flags = {
    readable: await readableProjects(access, db, caller, workspace.id, 'flags:read'),
    projectId: isNarrowed ? undefined : (row.project_id ?? undefined),
  };
  const warnings = await warningsOf({ db, queries, data }, scope, row.model, flags, signal);
  return reply(present(row), { meta: { warnings } });
}

async function converted(
  { access, limits }: Parts,
  documents: Documents,
  { workspace, caller, body: { grafana, url }, signal }: Context<typeof dashboardsRoutes.convertDashboard>,
) {
  let json: unknown = grafana;
  if (url !== undefined) {
    // A reader must not be able to make the server send requests.
    const { permissionsBelow } = await access.scope(caller, { workspace: workspace.id });
    if (!permissionsBelow.has('dashboards:write')) throw fail('PERMISSION_DENIED', { permission: 'dashboards:write' });
    const fetched = await documents.fetch(workspace.id, url, signal);
    if ('own' in fetched) return { model: fetched.own, report: [] };
    json = fetched.foreign;
  }
  const imported = await convertGrafana(json, limits.panels);
  if ('problem' in imported) throw fail('DASHBOARD_NOT_GRAFANA', { reason: imported.problem });
  return imported;
}

function presentFacts(row: Omit<DashboardRow, 'model'>) {
  const { id, project, environment, source } = row;
  return { id, project, environment, source, ...presentAuthors(row) };
}

function presentSummary(row: DashboardListRow) {
  const { name, description, tags, panels } = row;
  return { ...presentFacts(row), name, description, tags, panels };
}

function present(row: DashboardRow) {
  return { ...presentFacts(row), ...row.model };
}

function presentVersion({ version, author_id, author_name, comment, created_at }: Omit<VersionRow, 'model'>) {
  return { version, author: { id: author_id, name: author_name }, comment, created_at: created_at.toISOString() };
}
