import { getRecordingRule, listRecordingRules, type RouteResponse } from '@fanion/contract';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { queryClient } from '../../app/query-client.ts';

export type RecordingRule = RouteResponse<typeof getRecordingRule>;

export const recordingRulesQuery = (ws: string, project: string) => ({
  ...listQuery(listRecordingRules, { params: { ws }, query: { project } }),
  refetchInterval: 10_000,
});

export const recordingRuleQuery = (ws: string, id: string) => ({
  ...routeQuery(getRecordingRule, { params: { ws, id } }),
  // It is not reloaded while somebody edits it.
  staleTime: Number.POSITIVE_INFINITY,
});

/** After a write. */
export async function refreshRecordingRules(): Promise<void> {
  await Promise.all(
    [listRecordingRules, getRecordingRule].map(({ id }) => queryClient.invalidateQueries({ queryKey: [id] })),
  );
}
