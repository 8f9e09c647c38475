import { getSegment, listSegments, type RouteResponse } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';
import { queryClient } from '../../app/query-client.ts';

export { segmentsQuery } from '../flags/queries.ts';

export type Segment = RouteResponse<typeof getSegment>;

export const segmentQuery = (ws: string, p: string, skey: string) => ({
  ...routeQuery(getSegment, { params: { ws, p, skey } }),
  // A list of a million keys is not read again because a window got the focus, and not under the editor's hands.
  staleTime: Number.POSITIVE_INFINITY,
});

/** After a write: the list, and each segment with who uses it. */
export async function refreshSegments(): Promise<void> {
  await Promise.all([listSegments, getSegment].map((route) => queryClient.invalidateQueries({ queryKey: [route.id] })));
}
