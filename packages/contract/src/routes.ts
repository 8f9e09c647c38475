import { alertingArea } from './alerting/index.ts';
import { dashboardsArea } from './dashboards/index.ts';
import { flagsArea } from './flags/index.ts';
import { identityArea } from './identity/index.ts';
import { judgingArea } from './judging/index.ts';
import type { AnyRoute } from './route.ts';
import { slosArea } from './slos/index.ts';
import { systemArea } from './system/index.ts';
import { telemetryArea } from './telemetry/index.ts';

/** Every route, in the order of the API document. A route that is not listed here is not served. */
export const allRoutes: readonly AnyRoute[] = [
  ...systemArea,
  ...identityArea,
  ...telemetryArea,
  ...alertingArea,
  ...dashboardsArea,
  ...slosArea,
  ...flagsArea,
  ...judgingArea,
];
