import { routesOf } from '../route.ts';
import * as metrics from './metrics.ts';

export * from './metrics.ts';
export * from './primitives.ts';
export { metrics as flagMetricsRoutes };

/** The routes of this area, in the order of the API document. */
export const judgingArea = routesOf(metrics);
