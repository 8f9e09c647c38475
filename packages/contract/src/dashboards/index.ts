import { routesOf } from '../route.ts';
import * as annotations from './annotations.ts';
import * as dashboards from './dashboards.ts';
import * as library from './library.ts';
import * as savedQueries from './saved-queries.ts';
import * as snapshots from './snapshots.ts';

export * from './annotations.ts';
export * from './dashboards.ts';
export * from './library.ts';
export * from './model.ts';
export * from './repeats.ts';
export * from './saved-queries.ts';
export * from './snapshots.ts';
export {
  annotations as annotationsRoutes,
  dashboards as dashboardsRoutes,
  library as libraryRoutes,
  savedQueries as savedQueriesRoutes,
  snapshots as snapshotsRoutes,
};

/** The routes of this area, in the order of the API document. */
export const dashboardsArea = routesOf(savedQueries, dashboards, library, snapshots, annotations);
