/**
 * The data of a dashboard: variables are bound to the queries of its panels (`packages/oql/src/variables/bind.ts`).
 * Equal queries run once, a few at a time, in the lane `dashboard`, for a window of whole steps (`window-rules.ts`).
 * The answer is a line of NDJSON per panel (`data.ts`).
 */

import { Readable } from 'node:stream';
import { type DashboardVariable, dashboardsRoutes, mostRepeatedPanels, type VariableValues } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { BodyThread } from '../../../http/body-thread.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { implement, type MountedRoute, page, reply, Streamed } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import type { Egress } from '../../../platform/egress/index.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { readableProjects, requireReadable } from '../../identity/access/index.ts';
import { pageOfPlaced, presentVersion as presentAuthors } from '../../identity/resources/index.ts';
import type { QueryScope, QueryService } from '../../telemetry/query/index.ts';
import { createDashboardData } from './data.ts';
import { createDocuments } from './from-url/fetch-document.ts';
import { convertGrafana } from './grafana/convert.ts';
import { listEnvironmentKeys, listFlagKeys, listProjectKeys } from './names-store.ts';
import { createOptions } from './options.ts';
import { refuseInvalid } from './refuse-invalid.ts';
import { repeatedPanels } from './repeated.ts';
import { compare, create, find, remove, replace, rollback } from './service.ts';
import { snapshotExpiryJob } from './snapshots/expiry.ts';
import { snapshotHandlers } from './snapshots/handlers.ts';
import { createSnapshotService } from './snapshots/service.ts';
import { type DashboardListRow, type DashboardRow, listDashboards, listVersions, type VersionRow } from './store.ts';
import { placeOf } from './variable-rules.ts';
import { warningsOf } from './warnings.ts';

/** Dashboards, their versions and their data. */
export const dashboardsFeature = {
  name: 'dashboards/dashboards',
  routes: handlers,
  jobs: ({ db, clock }: Pick<FeatureDependencies, 'db' | 'clock'>) => [snapshotExpiryJob(db, clock)],
} satisfies Feature;

/** Older cached answers are never returned, whatever the client accepts. */
const maxAcceptedSeconds = 300;
const isVersion = (text: string) => /^[1-9]\d{0,8}$/.test(text);

function handlers({
  queries,
  gateway,
  config,
  egress,
  bodyThread,
  ...dependencies
}: FeatureDependencies & {
  readonly egress: Egress;
  readonly bodyThread: BodyThread;
  readonly queries: QueryService;
  readonly gateway: Pick<Gateway, 'compiler'>;
  readonly config: Pick<Config, 'dashboards'>;
}): MountedRoute[] {
  const { db, access, clock, log } = dependencies;
  const { limits, data: dataLimits, snapshots: snapshotLimits, importBytes } = config.dashboards;
  const parts = { db, clock, gateway, limits };
  const data = createDashboardData({ queries, compiler: gateway.compiler, clock, log, limits: dataLimits });
  const documents = createDocuments({ egress, thread: bodyThread, maxBytes: importBytes });

  /** Where panels read. Throws `PERMISSION_DENIED` unless the caller may query there, and `NOT_FOUND`. */
  async function scopeOf(
    workspace: WorkspaceRef,
    caller: UserCaller,
    place: { readonly project: string | undefined; readonly environment: string | undefined },
  ): Promise<QueryScope & { readonly workspace: WorkspaceRef }> {
    const { project, environment } = place;
    const scope = await access.scope(caller, {
      workspace: workspace.id,
      ...(project !== undefined && { project }),
      ...(environment !== undefined && { environment }),
    });
    if (!scope.permissionsBelow.has('telemetry:query'))
      throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
    return { workspace, project: scope.project, environment: scope.environment?.key ?? environment, caller };
  }

  /** The place that was named, unless a variable narrows it. */
  function scopeFor(
    workspace: WorkspaceRef,
    caller: UserCaller,
    named: { readonly project: string | undefined; readonly environment: string | undefined },
    definitions: readonly DashboardVariable[],
    values: VariableValues,
  ) {
    const chosen = placeOf(definitions, values);
    return scopeOf(workspace, caller, {
      project: chosen.project ?? named.project,
      environment: chosen.environment ?? named.environment,
    });
  }

  function optionsFor(workspace: WorkspaceRef, caller: UserCaller) {
    return createOptions({
      queries,
      data,
      limits: dataLimits,
      async names(scope, type, limit) {
        const given = scope.project && [scope.project.id];
        if (type === 'project') return listProjectKeys(db, workspace.id, given, limit);
        if (type === 'environment') return listEnvironmentKeys(db, workspace.id, given, limit);
        const readable = await readableProjects(access, db, caller, workspace.id, 'flags:read');
        const of = scope.project?.id;
        if (of === undefined) return listFlagKeys(db, workspace.id, readable, limit);
        return listFlagKeys(db, workspace.id, readable === undefined || readable.includes(of) ? [of] : [], limit);
      },
    });
  }

  const scopeOfDashboard = (workspace: WorkspaceRef, caller: UserCaller, row: DashboardRow, values: VariableValues) => {
    const named = { project: row.project_id ?? undefined, environment: row.environment ?? undefined };
    return scopeFor(workspace, caller, named, row.model.variables, values);
  };

  /** A dashboard that was written, with what it will not show. */
  async function saved(
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
    scopeOf: scopeOfDashboard,
    repeated: ({ workspace, caller }, ...asked) => repeatedPanels(optionsFor(workspace, caller), ...asked),
  });

  const ofDashboards = implement(dashboardsRoutes, {
    listDashboards: (context) =>
      pageOfPlaced(db, context, async (page, filter) =>
        (await listDashboards(db, context.workspace.id, filter, context.query.tag, page)).map(presentSummary),
      ),
    createDashboard: async (context) => saved(context, await create(parts, context, context.narrowed, context.body)),
    getDashboard: async ({ workspace, params }) => present(await find(db, workspace, params.id)),
    replaceDashboard: async (context) =>
      saved(context, await replace(parts, context, context.narrowed, context.params.id, context.body)),
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
    async getDashboardData({ workspace, caller, params, body, request, requestId, signal }) {
      const row = await find(db, workspace, params.id);
      const { panels, variables: definitions } = row.model;
      const { variables = {}, panels: ids, from, to } = body;
      const scope = await scopeOfDashboard(workspace, caller, row, variables);
      const maxAgeMs = acceptedAge(request.headers['cache-control']);
      const facts = { definitions, variables, from, to, maxAgeMs, requestId };
      const repeated = await repeatedPanels(optionsFor(workspace, caller), scope, panels, facts, signal);
      const wanted = ids === undefined ? repeated : repeated.filter(({ id }) => ids.includes(id));
      return streamed(data.lines(scope, { panels: wanted, ...facts }, signal));
    },
    async previewDashboard({ workspace, narrowed, caller, body, request, requestId, signal }) {
      const { panels, definitions, variables = {}, from, to } = body;
      const asked = { workspace: workspace.number, signal };
      // The page sends the copies of panels that repeat.
      const withCopies = { panels: Math.max(limits.panels, mostRepeatedPanels), bytes: 4 * limits.bytes };
      await refuseInvalid({ panels, variables: definitions }, withCopies, gateway.compiler, asked);
      const scope = await scopeFor(workspace, caller, namesOf(narrowed), definitions, variables);
      const maxAgeMs = acceptedAge(request.headers['cache-control']);
      const facts = { definitions, variables, from, to, maxAgeMs, requestId };
      const repeated = await repeatedPanels(optionsFor(workspace, caller), scope, panels, facts, signal);
      return streamed(data.lines(scope, { panels: repeated, ...facts }, signal));
    },
    async convertDashboard({ workspace, caller, body: { grafana, url }, signal }) {
      let json: unknown = grafana;
      if (url !== undefined) {
        // A reader must not be able to make the server send requests.
        const { permissionsBelow } = await access.scope(caller, { workspace: workspace.id });
        if (!permissionsBelow.has('dashboards:write'))
          throw fail('PERMISSION_DENIED', { permission: 'dashboards:write' });
        const fetched = await documents.fetch(workspace.id, url, signal);
        if ('own' in fetched) return { model: fetched.own, report: [] };
        json = fetched.foreign;
      }
      const imported = await convertGrafana(json, limits.panels);
      if ('problem' in imported) throw fail('DASHBOARD_NOT_GRAFANA', { reason: imported.problem });
      return imported;
    },
    async listVariableOptions({ workspace, narrowed, caller, body, signal }) {
      const { definitions, variables = {}, from, to } = body;
      const asked = { workspace: workspace.number, signal };
      await refuseInvalid({ panels: [], variables: definitions }, limits, gateway.compiler, asked);
      const scope = await scopeFor(workspace, caller, namesOf(narrowed), definitions, variables);
      const options = optionsFor(workspace, caller);
      return { variables: await options(scope, { definitions, variables, from, to }, signal) };
    },
  });
  return [...ofDashboards, ...ofSnapshots];
}

function namesOf({ project, environment }: { project: ProjectRef | undefined; environment: string | undefined }) {
  return { project: project?.id, environment };
}

/** Reads the first line before it answers, so that a window that is wrong is an error of the whole request. */
async function streamed(lines: AsyncGenerator<string | Uint8Array, void, undefined>): Promise<Streamed> {
  const first = await lines.next();
  async function* all() {
    if (!first.done) yield first.value;
    yield* lines;
  }
  return new Streamed(Readable.from(all(), { objectMode: false }), {
    headers: { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' },
    trailers: {},
  });
}

/** How old an answer may be, of `Cache-Control: no-cache` or `max-age=<seconds>`; undefined: not said. */
function acceptedAge(header: string | undefined): number | undefined {
  const parts = header?.split(',').map((part) => part.trim().toLowerCase()) ?? [];
  if (parts.includes('no-cache') || parts.includes('no-store')) return 0;
  const seconds = parts.flatMap((part) => /^max-age=(\d{1,6})$/.exec(part)?.[1] ?? [])[0];
  return seconds === undefined ? undefined : Math.min(maxAcceptedSeconds, Number(seconds)) * 1_000;
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
