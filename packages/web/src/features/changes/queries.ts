import { getSegment, type listFlagChanges, listSegments, type RouteResponse } from '@fanion/contract';
import { queryClient } from '../../app/query-client.ts';
import { refreshFlags, refreshTargeting } from '../flags/queries.ts';

export type FlagChange = RouteResponse<typeof listFlagChanges>[number];

/** Reloads everything that an approved, rejected or withdrawn change can affect. */
export async function refreshChanges(): Promise<void> {
  await Promise.all([
    refreshFlags(),
    refreshTargeting(),
    ...[listSegments, getSegment].map((route) => queryClient.invalidateQueries({ queryKey: [route.id] })),
  ]);
}
