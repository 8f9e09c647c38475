import { getOperations, type RouteResponse } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';

export type State = NonNullable<RouteResponse<typeof getOperations>['operations']>;

export function operationsQuery(ws: string) {
  return routeQuery(getOperations, { params: { ws } });
}
