import {
  ApiError,
  getFlag,
  getPrerequisites,
  getRamp,
  getTargeting,
  listFlagChanges,
  listFlags,
  listHistory,
  listSegments,
  type RouteResponse,
} from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { queryClient } from '../../app/query-client.ts';

export const flagsQuery = (ws: string, p: string, archived: boolean) =>
  listQuery(listFlags, { params: { ws, p }, ...(archived && { query: { archived: 'true' } }) });
export const flagQuery = (ws: string, p: string, key: string) => routeQuery(getFlag, { params: { ws, p, key } });
export const targetingQuery = (ws: string, p: string, e: string, key: string) => ({
  ...routeQuery(getTargeting, { params: { ws, p, e, key } }),
  // An edit is made against what was read; it must not change under the editor's hands.
  staleTime: Number.POSITIVE_INFINITY,
});
export const prerequisitesQuery = (ws: string, p: string, key: string) =>
  routeQuery(getPrerequisites, { params: { ws, p, key } });
export const segmentsQuery = (ws: string, p: string) => listQuery(listSegments, { params: { ws, p } });
/** Changes of a flag that wait in an environment, for approval or for their time. */
export const waitingQuery = (ws: string, p: string, flag: string, status: 'pending' | 'scheduled') =>
  listQuery(listFlagChanges, { params: { ws, p }, query: { flag, status } });

/** How often a ramp that runs is looked at, in milliseconds. */
const RAMP_POLL = 3000;
/** The ramp that runs, else the last one; null where there never was one. */
export const rampQuery = (ws: string, p: string, e: string, key: string) =>
  queryOptions({
    queryKey: [getRamp.id, { ws, p, e, key }] as const,
    queryFn: async ({ signal }): Promise<RouteResponse<typeof getRamp> | null> => {
      try {
        return (await call(getRamp, { params: { ws, p, e, key }, signal })).data;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'SVC-4018') return null;
        throw error;
      }
    },
    refetchInterval: (query) => (query.state.data?.status === 'running' ? RAMP_POLL : false),
  });

/** What a write of a flag can change, but for targeting that is open in an editor. */
const TOUCHED = [listFlags, getFlag, listHistory, listFlagChanges, getPrerequisites, getRamp];

/** After a write: lists, the flag, its history and what waits are read again. */
export async function refreshFlags(): Promise<void> {
  await Promise.all(TOUCHED.map((route) => queryClient.invalidateQueries({ queryKey: [route.id] })));
}

/** After a write past the editor (a restore, a promotion): what no editor holds is read again. */
export async function refreshTargeting(): Promise<void> {
  queryClient.removeQueries({ queryKey: [getTargeting.id], type: 'inactive' });
  await queryClient.invalidateQueries({ queryKey: [getTargeting.id] });
}
