import {
  type Dashboard,
  type DashboardVariable,
  getDashboard,
  getDashboardVersion,
  getSnapshot,
  listDashboards,
  listDashboardVersions,
  listLibraryDashboards,
  listSnapshots,
  listVariableOptions,
  type VariableValues,
} from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { invalidate, queryClient } from '../../app/query-client.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';

/** Where panels read. */
export interface DashboardPlace {
  ws: string;
  project: string | undefined;
  environment: string | undefined;
}

export const dashboardsQuery = (ws: string) => listQuery(listDashboards, { params: { ws } });

/** The ready dashboards. */
export const libraryQuery = (ws: string, project: string) => ({
  ...routeQuery(listLibraryDashboards, { params: { ws }, query: { project } }),
  staleTime: 60_000,
});

export const snapshotsQuery = (ws: string) => listQuery(listSnapshots, { params: { ws } });
export const snapshotQuery = (ws: string, id: string) => routeQuery(getSnapshot, { params: { ws, id } });
export const refreshSnapshots = () => invalidate(listSnapshots);

export const dashboardQuery = (ws: string, id: string) => ({
  ...routeQuery(getDashboard, { params: { ws, id } }),
  // It is not reloaded while somebody edits it.
  staleTime: Number.POSITIVE_INFINITY,
});

export const versionsQuery = (ws: string, id: string) => listQuery(listDashboardVersions, { params: { ws, id } });

export const versionQuery = (ws: string, id: string, version: number) =>
  routeQuery(getDashboardVersion, { params: { ws, id, version: String(version) } });

/** The values that variables offer; those of others count, since variables can be chained. */
export const optionsQuery = (
  { ws, project, environment }: DashboardPlace,
  definitions: readonly DashboardVariable[],
  variables: VariableValues,
  range: TimeRange,
) =>
  queryOptions({
    queryKey: [listVariableOptions.id, ws, project, environment, definitions, variables, range] as const,
    queryFn: async ({ signal }) => {
      const body = {
        definitions: [...definitions],
        variables,
        ...range,
        ...(project !== undefined && { project }),
        ...(environment !== undefined && { environment }),
      };
      return (await call(listVariableOptions, { params: { ws }, body, signal })).data.variables;
    },
  });

/** After a write: the new state of a dashboard, and lists that show it. */
export async function keepDashboard(ws: string, dashboard: Dashboard): Promise<void> {
  queryClient.setQueryData(dashboardQuery(ws, dashboard.id).queryKey, dashboard);
  await refreshDashboards();
}

export const refreshDashboards = () => invalidate(listDashboards, listDashboardVersions);

/** What the last save on this page reported that the dashboard will not show. */
export const warningsQuery = (id: string) =>
  queryOptions({
    queryKey: ['dashboards.warnings', id] as const,
    queryFn: (): readonly string[] => [],
    staleTime: Number.POSITIVE_INFINITY,
  });

export function keepWarnings(id: string, warnings: unknown): void {
  queryClient.setQueryData(warningsQuery(id).queryKey, Array.isArray(warnings) ? warnings.map(String) : []);
}
