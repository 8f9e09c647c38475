import { getFlag, getTargeting, listFlags } from '@fanion/contract';
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

/** After a write: lists, the flag, and its targeting everywhere are read again. */
export async function refreshFlags(): Promise<void> {
  await Promise.all([listFlags, getFlag].map((route) => queryClient.invalidateQueries({ queryKey: [route.id] })));
}
