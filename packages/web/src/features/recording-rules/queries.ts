import { getRecordingRule, listRecordingRules, type RouteResponse } from '@fanion/contract';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

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
export const refreshRecordingRules = () => invalidate(listRecordingRules, getRecordingRule);
