import {
  ApiError,
  getFlag,
  getHistoryVersion,
  getPrerequisites,
  getPreviousVersion,
  getRamp,
  getTargeting,
  listFlagChanges,
  listFlags,
  listHistory,
  listRamps,
  listSegments,
  type RouteResponse,
} from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { invalidate, prefetch, queryClient } from '../../app/query-client.ts';
import { can, environmentsQuery, type Scope } from '../../app/session.ts';
import { oqlQuery } from '../../telemetry/oql.ts';
import { guardedQuery } from '../judging/queries.ts';
import { EFFECT_BUCKET, EFFECT_WINDOW, effectQuery, effectTotalsQuery } from './effect.ts';

export const flagsQuery = (ws: string, p: string, archived: boolean) =>
  listQuery(listFlags, { params: { ws, p }, ...(archived && { query: { archived: 'true' } }) });
export const flagQuery = (ws: string, p: string, key: string) => routeQuery(getFlag, { params: { ws, p, key } });
export const targetingQuery = (ws: string, p: string, e: string, key: string) => ({
  ...routeQuery(getTargeting, { params: { ws, p, e, key } }),
  // The user edits the loaded state, so it must not change during editing.
  staleTime: Number.POSITIVE_INFINITY,
});
/** Starts to fetch what the page of a flag shows of its environment; that of the address, else the first. */
export async function prefetchTargeting(
  { ws, project }: Scope,
  flag: string,
  chosen: string | undefined,
): Promise<void> {
  const environments = await queryClient.fetchQuery(environmentsQuery(ws, project)).catch(() => []);
  const environment = environments.find(({ key }) => key === chosen) ?? environments[0];
  if (environment === undefined) return;
  prefetch(targetingQuery(ws, project, environment.key, flag));
  prefetch(rampQuery(ws, project, environment.key, flag));
  prefetch(guardedQuery({ ws, p: project, e: environment.key, key: flag }));
  if (!can(ws, 'telemetry:query')) return;
  const scope = { ws, project, environment: environment.key, range: EFFECT_WINDOW };
  prefetch(oqlQuery({ ...scope, query: effectQuery(flag, EFFECT_BUCKET) }));
  prefetch(oqlQuery({ ...scope, query: effectTotalsQuery(flag) }));
}

export const prerequisitesQuery = (ws: string, p: string, key: string) =>
  routeQuery(getPrerequisites, { params: { ws, p, key } });
export const segmentsQuery = (ws: string, p: string) => listQuery(listSegments, { params: { ws, p } });
/** Flag changes in an environment that wait for approval or for their time. */
export const waitingQuery = (ws: string, p: string, flag: string, status: 'pending' | 'scheduled') =>
  listQuery(listFlagChanges, { params: { ws, p }, query: { flag, status } });

/** Polling interval of a running ramp in milliseconds. */
const RAMP_POLL = 3000;
/** The running ramp, else the last one; null if there never was one: most flags have none, which is no error. */
export const rampQuery = (ws: string, p: string, e: string, key: string) =>
  queryOptions({
    queryKey: [getRamp.id, { ws, p, e, key }] as const,
    queryFn: async ({ signal }): Promise<RouteResponse<typeof getRamp> | null> =>
      (await call(listRamps, { params: { ws, p }, query: { environment: e, flag: key }, signal })).data[0] ?? null,
    refetchInterval: (query) => (query.state.data?.status === 'running' ? RAMP_POLL : false),
  });

/** An entry of the history with the targeting that it brings back. */
export const versionQuery = (ws: string, p: string, key: string, id: string) =>
  routeQuery(getHistoryVersion, { params: { ws, p, key, id } });
/** The version before the current one; null: there is none. */
export const previousQuery = (ws: string, p: string, e: string, key: string) =>
  queryOptions({
    queryKey: [getPreviousVersion.id, { ws, p, e, key }] as const,
    queryFn: async ({ signal }): Promise<RouteResponse<typeof getPreviousVersion> | null> => {
      try {
        return (await call(getPreviousVersion, { params: { ws, p, e, key }, signal })).data;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'SVC-4031') return null;
        throw error;
      }
    },
  });

/** Queries that a flag write can affect, except targeting that is open in an editor. */
const TOUCHED = [listFlags, getFlag, listHistory, listFlagChanges, getPrerequisites, getPreviousVersion, getRamp];

/** After a write: reloads lists, the flag, its history and its pending changes. */
export async function refreshFlags(): Promise<void> {
  await Promise.all(TOUCHED.map((route) => invalidate(route)));
}

/** After a write outside the editor (a restore, a promotion): reloads everything that no editor holds. */
export async function refreshTargeting(): Promise<void> {
  queryClient.removeQueries({ queryKey: [getTargeting.id], type: 'inactive' });
  await invalidate(getTargeting);
}
