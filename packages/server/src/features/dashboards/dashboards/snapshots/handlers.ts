import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type DashboardPanel, snapshotsRoutes, type VariableValues } from '@fanion/contract';
import type { UserCaller, WorkspaceRef } from '../../../../http/caller.ts';
import { implement, type MountedRoute, page, Streamed } from '../../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../../http/cursor.ts';
import { isId } from '../../../../platform/ids.ts';
import type { QueryScope } from '../../../telemetry/query/index.ts';
import type { DashboardData, VariableRequest } from '../data.ts';
import type { DashboardRow } from '../store.ts';
import type { SnapshotService } from './service.ts';
import type { SnapshotListRow, SnapshotRow } from './store.ts';

/** What routes of snapshots use of dashboards. */
interface Parts {
  readonly snapshots: SnapshotService;
  readonly data: DashboardData;
  findDashboard(workspace: WorkspaceRef, id: string): Promise<DashboardRow>;
  /** Throws `PERMISSION_DENIED` unless the caller may query the telemetry of the place. */
  requireReadable(
    place: { readonly workspace: string; readonly project: string | null; readonly environment: string | null },
    caller: UserCaller,
  ): Promise<void>;
  /** Where its panels read. Throws unless the caller may query there. */
  scopeOf(
    workspace: WorkspaceRef,
    caller: UserCaller,
    dashboard: DashboardRow,
    values: VariableValues,
  ): Promise<QueryScope & { readonly workspace: WorkspaceRef }>;
  /** The panels with their copies for the values of variables. */
  repeated(
    asking: { readonly workspace: WorkspaceRef; readonly caller: UserCaller },
    scope: QueryScope,
    panels: readonly DashboardPanel[],
    request: VariableRequest,
    signal: AbortSignal,
  ): Promise<DashboardPanel[]>;
}

export function snapshotHandlers({
  snapshots,
  data,
  findDashboard,
  requireReadable,
  scopeOf,
  repeated,
}: Parts): MountedRoute[] {
  return implement(snapshotsRoutes, {
    async createSnapshot({ workspace, caller, params, body, origin, requestId, signal }) {
      const { variables = {}, expires_in_days: days, name, environment, from, to } = body;
      await snapshots.refuseEarly(workspace, days);
      const found = await findDashboard(workspace, params.id);
      const { variables: definitions } = found.model;
      const place = { ...found, environment: environment ?? found.environment };
      const scope = await scopeOf(workspace, caller, place, variables);
      const asked = data.preparedFor({ definitions, variables, from, to }).asked;
      const named = { definitions, variables, ...asked };
      // A snapshot has the copies of its moment: the values of variables may be others later.
      const panels = await repeated({ workspace, caller }, scope, found.model.panels, named, signal);
      const dashboard = { ...place, model: { ...found.model, panels } };
      const request = { panels, ...named, requestId };
      const lines = data.lines(scope, request, signal);
      // The request may name the environment by id; a snapshot keeps its key.
      const key = environment === undefined ? found.environment : (scope.environment ?? environment);
      const given = { dashboard, name: name ?? dashboard.name, environment: key, variables };
      return present(await snapshots.create(workspace, caller, { ...given, ...asked, days, lines }, origin));
    },
    async listSnapshots({ workspace, query: { dashboard, limit, cursor } }) {
      const after = decodeCursor(cursor, isId);
      const of =
        dashboard === undefined || isId(dashboard) ? dashboard : (await findDashboard(workspace, dashboard)).id;
      const rows = await snapshots.list(workspace, { dashboardId: of, after, limit });
      // Snapshots stay when their dashboard is removed.
      if (rows.length === 0 && of !== undefined) await findDashboard(workspace, of);
      const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
      return page(items.map(presentFacts), nextCursor);
    },
    async getSnapshot({ workspace, params }) {
      return present(await snapshots.find(workspace, params.id));
    },
    async getSnapshotData({ workspace, caller, params }) {
      const { project_id: project, environment } = await snapshots.find(workspace, params.id);
      await requireReadable({ workspace: workspace.id, project, environment }, caller);
      const compressed = await snapshots.data(workspace, params.id);
      return new Streamed(Readable.from([compressed]).pipe(createGunzip()), {
        headers: { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' },
        trailers: {},
      });
    },
    async removeSnapshot({ workspace, params, origin }) {
      await snapshots.remove(workspace, params.id, origin);
      return undefined;
    },
  });
}

function presentFacts(row: SnapshotListRow) {
  return {
    id: row.id,
    name: row.name,
    dashboard: row.dashboard_id,
    version: row.version,
    project: row.project,
    environment: row.environment,
    from: row.from_time.toISOString(),
    to: row.to_time.toISOString(),
    bytes: row.bytes,
    created_by: row.created_by_name,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

function present(row: SnapshotRow) {
  return { ...presentFacts(row), variables: row.variables, model: row.model };
}
