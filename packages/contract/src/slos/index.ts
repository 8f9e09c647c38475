import { routesOf } from '../route.ts';
import * as recordingRules from './recording-rules.ts';
import * as slos from './slos.ts';

export * from './recording-rules.ts';
export * from './slos.ts';
export { recordingRules as recordingRulesRoutes, slos as slosRoutes };

/** The routes of this area, in the order of the API document. */
export const slosArea = routesOf(slos, recordingRules);
