import { routesOf } from '../route.ts';
import * as experiments from './experiments.ts';
import * as guardedReleases from './guarded-releases.ts';
import * as metrics from './metrics.ts';
import * as replay from './replay.ts';
import * as rollout from './rollout.ts';

export * from './experiment-definition.ts';
export * from './experiment-results.ts';
export * from './experiments.ts';
export * from './guarded-releases.ts';
export * from './metrics.ts';
export * from './primitives.ts';
export * from './replay.ts';
export * from './rollout.ts';
export {
  experiments as experimentsRoutes,
  guardedReleases as guardedReleasesRoutes,
  metrics as flagMetricsRoutes,
  replay as replayRoutes,
  rollout as rolloutRoutes,
};

/** The routes of this area, in the order of the API document. */
export const judgingArea = routesOf(metrics, rollout, replay, guardedReleases, experiments);
