import { listQueryHistory, listSavedQueries, type RouteResponse } from '@fanion/contract';
import { listQuery, routeQuery } from '../../api/queries.ts';

type ItemOf<T> = T extends readonly (infer Item)[] ? Item : T;
export type Saved = ItemOf<RouteResponse<typeof listSavedQueries>>;
export type Run = ItemOf<RouteResponse<typeof listQueryHistory>>;

/** Maximum number of runs in the history list. */
const RUNS = 100;

export const savedQueriesQuery = (ws: string) => listQuery(listSavedQueries, { params: { ws } });

export const historyQuery = (ws: string, project: string, search: string) =>
  routeQuery(listQueryHistory, {
    params: { ws },
    query: { project, limit: RUNS, ...(search !== '' && { search }) },
  });
