import { routesOf } from '../route.ts';
import * as savedQueries from './saved-queries.ts';

export * from './saved-queries.ts';
export { savedQueries as savedQueriesRoutes };

/** The routes of this area, in the order of the API document. */
export const dashboardsArea = routesOf(savedQueries);
