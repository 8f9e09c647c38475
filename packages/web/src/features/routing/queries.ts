import { listInhibitionRules, listRoutingPolicies, matchRoutingPolicies, type RouteResponse } from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export type Policy = RouteResponse<typeof listRoutingPolicies>[number];
export type Match = RouteResponse<typeof matchRoutingPolicies>['policies'][number];
export type InhibitionRule = RouteResponse<typeof listInhibitionRules>[number];

/** The root first, and siblings in their order. */
export const policiesQuery = (ws: string) => routeQuery(listRoutingPolicies, { params: { ws } });
export const inhibitionRulesQuery = (ws: string) => listQuery(listInhibitionRules, { params: { ws } });

/** Where an alert with these labels would go. */
export const matchQuery = (ws: string, labels: Readonly<Record<string, string>>) =>
  queryOptions({
    queryKey: [matchRoutingPolicies.id, ws, labels] as const,
    queryFn: async ({ signal }): Promise<readonly Match[]> =>
      (await call(matchRoutingPolicies, { params: { ws }, body: { labels }, signal })).data.policies,
    enabled: Object.keys(labels).length > 0,
    retry: false,
  });

/** After a write: an alert may go elsewhere now. */
export const refreshRouting = () => invalidate(listRoutingPolicies, matchRoutingPolicies, listInhibitionRules);
