import { getSegment, listSegments, type RouteResponse } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export { segmentsQuery } from '../flags/queries.ts';

export type Segment = RouteResponse<typeof getSegment>;
export type ListedSegment = RouteResponse<typeof listSegments>[number];

export const segmentQuery = (ws: string, p: string, skey: string) => ({
  ...routeQuery(getSegment, { params: { ws, p, skey } }),
  // A list of a million keys is not reloaded on window focus, and not during editing.
  staleTime: Number.POSITIVE_INFINITY,
});

/** After a write: reloads the list, and each segment with its uses. */
export const refreshSegments = () => invalidate(listSegments, getSegment);
