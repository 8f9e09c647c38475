import { getSegment, listFlagChanges, listSegments, type RouteResponse } from '@fanion/contract';
import { listQuery } from '../../api/queries.ts';
import { queryClient } from '../../app/query-client.ts';
import { refreshFlags, refreshTargeting } from '../flags/queries.ts';

export type FlagChange = RouteResponse<typeof listFlagChanges>[number];

export const changesQuery = (
  ws: string,
  p: string,
  filter: { status?: FlagChange['status']; flag?: string | undefined },
) => {
  const { status, flag } = filter;
  return listQuery(listFlagChanges, {
    params: { ws, p },
    query: { ...(status !== undefined && { status }), ...(flag !== undefined && { flag }) },
  });
};

/** Reloads everything that an approved, rejected or withdrawn change can affect. */
export async function refreshChanges(): Promise<void> {
  await Promise.all([
    refreshFlags(),
    refreshTargeting(),
    ...[listSegments, getSegment].map((route) => queryClient.invalidateQueries({ queryKey: [route.id] })),
  ]);
}
