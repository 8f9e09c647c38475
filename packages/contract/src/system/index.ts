import { routesOf } from '../route.ts';
import * as mcp from './mcp.ts';
import * as operations from './operations.ts';
import * as platform from './platform.ts';

export * from './mcp.ts';
export * from './operations.ts';
export * from './platform.ts';
export { mcp as mcpRoutes, operations as operationsRoutes, platform as platformRoutes };

/** The routes of this area, in the order of the API document. */
export const systemArea = routesOf(platform, operations, mcp);
