import {
  getSlo,
  getSloStatus,
  getSloTimeseries,
  listAlertInstances,
  listAlertRules,
  listSlos,
  type RouteResponse,
} from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export type Slo = RouteResponse<typeof getSlo>;
export type ListedSlo = RouteResponse<typeof listSlos>[number];
export type SloStatus = RouteResponse<typeof getSloStatus>;
/** How an SLO stands, as lists have it. */
export type Standing = NonNullable<ListedSlo['status']>;
export type SloPoint = RouteResponse<typeof getSloTimeseries>[number];
export type SpentBy = NonNullable<SloStatus['spent_by']>;
export type Indicator = Slo['indicator'];
export type SloWindow = Slo['window'];

/** Events are counted every 30 seconds; milliseconds. */
const refetchInterval = 30_000;

export const slosQuery = (ws: string, project: string) => ({
  ...listQuery(listSlos, { params: { ws }, query: { project } }),
  refetchInterval,
});

/** The same with how each stands, which takes longer. */
export const standingsQuery = (ws: string, project: string) => ({
  ...listQuery(listSlos, { params: { ws }, query: { project, status: 'true' } }),
  refetchInterval,
});

export const sloQuery = (ws: string, id: string) => ({
  ...routeQuery(getSlo, { params: { ws, id } }),
  // It is not reloaded while somebody edits it.
  staleTime: Number.POSITIVE_INFINITY,
});

export const sloStatusQuery = (ws: string, id: string) => ({
  ...routeQuery(getSloStatus, { params: { ws, id } }),
  refetchInterval,
});

/** Who spent the budget since a time, such as `now-1d`. */
export const spentByQuery = (ws: string, id: string, since: string) => ({
  ...routeQuery(getSloStatus, { params: { ws, id }, query: { spent_by: 'true', since } }),
  staleTime: 60_000,
});

/** The time series with what the server says is left out of it. */
export function timeseriesQuery(ws: string, id: string, from: string) {
  const options = { params: { ws, id }, query: { from, to: 'now' } };
  return queryOptions({
    queryKey: [getSloTimeseries.id, options] as const,
    queryFn: async ({ signal }) => {
      const { data, meta } = await call(getSloTimeseries, { ...options, signal });
      return { points: data, warnings: Array.isArray(meta.warnings) ? meta.warnings.map(String) : [] };
    },
    refetchInterval: 60_000,
  });
}

/** After a write: reloads SLOs and the alert rules that they keep. */
export const refreshSlos = () =>
  invalidate(listSlos, getSlo, getSloStatus, getSloTimeseries, listAlertRules, listAlertInstances);
