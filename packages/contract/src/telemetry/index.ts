import { routesOf } from '../route.ts';
import * as contrast from './contrast.ts';
import * as errorExplanations from './error-explanations.ts';
import * as errorGroups from './error-groups.ts';
import * as exemplars from './exemplars.ts';
import * as fields from './fields.ts';
import * as ingest from './ingest.ts';
import * as jaeger from './jaeger-routes.ts';
import * as jaegerV3 from './jaeger-v3-routes.ts';
import * as logPatterns from './log-patterns.ts';
import * as loki from './loki-routes.ts';
import * as profiles from './profiles.ts';
import * as prometheus from './prometheus.ts';
import * as serviceMap from './service-map.ts';
import * as services from './services.ts';
import * as tail from './tail.ts';
import * as telemetry from './telemetry.ts';
import * as tempo from './tempo.ts';
import * as usage from './usage.ts';

export * from './completeness.ts';
export * from './contrast.ts';
export * from './error-explanations.ts';
export * from './error-groups.ts';
export * from './exemplars.ts';
export * from './fields.ts';
export * from './ingest.ts';
export * from './jaeger-routes.ts';
export * from './jaeger-v3-routes.ts';
export * from './log-patterns.ts';
export * from './loki-routes.ts';
export * from './profiles.ts';
export * from './prometheus.ts';
export * from './service-map.ts';
export * from './services.ts';
export * from './tail.ts';
export * from './telemetry.ts';
export * from './tempo.ts';
export * from './usage.ts';
export * from './why.ts';
export {
  contrast as contrastRoutes,
  errorExplanations as errorExplanationsRoutes,
  errorGroups as errorGroupsRoutes,
  exemplars as exemplarsRoutes,
  fields as fieldsRoutes,
  ingest as ingestRoutes,
  jaeger as jaegerRoutes,
  jaegerV3 as jaegerV3Routes,
  logPatterns as logPatternsRoutes,
  loki as lokiRoutes,
  profiles as profilesRoutes,
  prometheus as prometheusRoutes,
  serviceMap as serviceMapRoutes,
  services as servicesRoutes,
  tail as tailRoutes,
  telemetry as telemetryRoutes,
  tempo as tempoRoutes,
  usage as usageRoutes,
};

/** The routes of this area, in the order of the API document. */
export const telemetryArea = routesOf(
  ingest,
  services,
  telemetry,
  fields,
  exemplars,
  logPatterns,
  errorGroups,
  errorExplanations,
  serviceMap,
  contrast,
  tail,
  profiles,
  usage,
  prometheus,
  jaeger,
  jaegerV3,
  tempo,
  loki,
);
