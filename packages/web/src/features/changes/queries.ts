import { getSegment, type listFlagChanges, listSegments, type RouteResponse } from '@fanion/contract';
import { invalidate } from '../../app/query-client.ts';
import { refreshFlags, refreshTargeting } from '../flags/queries.ts';

export type FlagChange = RouteResponse<typeof listFlagChanges>[number];

/** Reloads everything that an approved, rejected or withdrawn change can affect. */
export const refreshChanges = () =>
  Promise.all([refreshFlags(), refreshTargeting(), invalidate(listSegments, getSegment)]);
