import { routesOf } from '../route.ts';
import * as platform from './platform.ts';

export * from './platform.ts';
export { platform as platformRoutes };

/** The routes of this area, in the order of the API document. */
export const systemArea = routesOf(platform);
