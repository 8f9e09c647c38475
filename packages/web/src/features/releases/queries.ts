import { listGuardedReleases, listRamps, type RouteResponse } from '@fanion/contract';
import { listQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';
import type { Scope } from '../../app/session.ts';

export type ListedRamp = RouteResponse<typeof listRamps>[number];
export type ListedRelease = RouteResponse<typeof listGuardedReleases>[number];

/** Steps and looks are some seconds apart; milliseconds. */
const refetchInterval = 10_000;

/** The ramps of all flags; of each flag and environment the active one, or else the last one. */
export const rampsQuery = ({ ws, project }: Scope) => ({
  ...listQuery(listRamps, { params: { ws, p: project } }),
  refetchInterval,
});

/** The guarded releases of all flags. */
export const releasesQuery = ({ ws, project }: Scope) => ({
  ...listQuery(listGuardedReleases, { params: { ws, p: project } }),
  refetchInterval,
});

/** After a ramp or a guarded release was moved. */
export const refreshReleases = () => invalidate(listRamps, listGuardedReleases);
