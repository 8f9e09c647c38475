import { routesOf } from '../route.ts';
import * as operations from './operations.ts';
import * as platform from './platform.ts';

export * from './operations.ts';
export * from './platform.ts';
export { operations as operationsRoutes, platform as platformRoutes };

/** The routes of this area, in the order of the API document. */
export const systemArea = routesOf(platform, operations);
