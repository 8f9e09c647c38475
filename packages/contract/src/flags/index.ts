import { routesOf } from '../route.ts';
import * as batches from './batches.ts';
import * as delivery from './delivery.ts';
import * as evaluation from './evaluation.ts';
import * as flagChanges from './flag-changes.ts';
import * as flagTest from './flag-test.ts';
import * as flags from './flags.ts';
import * as growthBook from './growthbook-routes.ts';
import * as launchDarklyClients from './launchdarkly-client-routes.ts';
import * as launchDarklyEvents from './launchdarkly-event-routes.ts';
import * as launchDarkly from './launchdarkly-routes.ts';
import * as ramps from './ramps.ts';
import * as segments from './segments.ts';
import * as unleash from './unleash-routes.ts';

export * from './batches.ts';
export * from './delivery.ts';
export * from './difference.ts';
export * from './evaluation.ts';
export * from './flag-changes.ts';
export * from './flag-test.ts';
export * from './flags.ts';
export * from './growthbook-routes.ts';
export * from './launchdarkly-client-routes.ts';
export * from './launchdarkly-event-routes.ts';
export * from './launchdarkly-routes.ts';
export * from './ramps.ts';
export * from './segments.ts';
export * from './targeting.ts';
export * from './unleash-routes.ts';
export {
  batches as batchesRoutes,
  delivery as deliveryRoutes,
  evaluation as evaluationRoutes,
  flagChanges as flagChangesRoutes,
  flags as flagsRoutes,
  flagTest as flagTestRoutes,
  growthBook as growthBookRoutes,
  launchDarkly as launchDarklyRoutes,
  launchDarklyClients as launchDarklyClientRoutes,
  launchDarklyEvents as launchDarklyEventRoutes,
  ramps as rampsRoutes,
  segments as segmentsRoutes,
  unleash as unleashRoutes,
};

/** The routes of this area, in the order of the API document. */
export const flagsArea = routesOf(
  flags,
  segments,
  batches,
  flagChanges,
  ramps,
  evaluation,
  flagTest,
  delivery,
  launchDarkly,
  growthBook,
  unleash,
  launchDarklyEvents,
  launchDarklyClients,
);
