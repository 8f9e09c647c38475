import {
  IconBug,
  IconChartLine,
  IconFlame,
  IconHome,
  IconLayoutDashboard,
  IconListDetails,
  IconServer2,
  IconSitemap,
  IconTerminal2,
  IconTimeline,
} from '@tabler/icons-react';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { dashboardQuery, dashboardsQuery, libraryQuery, snapshotQuery } from '../../features/dashboards/queries.ts';
import { rampsQuery, releasesQuery } from '../../features/releases/queries.ts';
import { standingsQuery } from '../../features/slos/queries.ts';
import { traceQuery } from '../../features/traces/queries.ts';
import { serviceQuery, servicesQuery } from '../../telemetry/services.ts';
import { prefetch } from '../query-client.ts';
import { pick } from '../search.ts';
import { page } from './scope.tsx';

const home = createRoute({
  ...page('/home'),
  staticData: { section: 'Observe', label: 'Home', icon: IconHome },
  loader: ({ params }) => {
    prefetch(standingsQuery(params.ws, params.project));
    prefetch(rampsQuery(params));
    prefetch(releasesQuery(params));
  },
  component: lazyRouteComponent(() => import('../../features/home/home-page.tsx'), 'HomePage'),
});

const services = createRoute({
  ...page('/services'),
  staticData: { section: 'Observe', label: 'Services', icon: IconServer2 },
  validateSearch: (search) => pick(search, 'q'),
  loaderDeps: ({ search: { env } }) => ({ env }),
  loader: ({ params: { ws, project }, deps: { env } }) => prefetch(servicesQuery(ws, project, env)),
  component: lazyRouteComponent(() => import('../../features/services/services-page.tsx'), 'ServicesPage'),
});

const service = createRoute({
  ...page('/services/$service'),
  loader: ({ params: { ws, service } }) => prefetch(serviceQuery(ws, service)),
  component: lazyRouteComponent(() => import('../../features/services/service-page.tsx'), 'ServicePage'),
});

const serviceMap = createRoute({
  ...page('/service-map'),
  staticData: { section: 'Observe', label: 'Service map', icon: IconSitemap },
  validateSearch: (search) => pick(search, 'service', 'databases'),
  component: lazyRouteComponent(() => import('../../features/service-map/service-map-page.tsx'), 'ServiceMapPage'),
});

const explore = createRoute({
  ...page('/explore'),
  staticData: { section: 'Observe', label: 'Explore', icon: IconTerminal2 },
  validateSearch: (search) => pick(search, 'q', 'view'),
  component: lazyRouteComponent(() => import('../../features/explore/explore-page.tsx'), 'ExplorePage'),
});

const logs = createRoute({
  ...page('/logs'),
  staticData: { section: 'Observe', label: 'Logs', icon: IconListDetails },
  validateSearch: (search) =>
    pick(search, 'q', 'service', 'severity', 'where', 'fields', 'log', 'view', 'wrap', 'cols'),
  component: lazyRouteComponent(() => import('../../features/logs/logs-page.tsx'), 'LogsPage'),
});

const traces = createRoute({
  ...page('/traces'),
  staticData: { section: 'Observe', label: 'Traces', icon: IconTimeline },
  validateSearch: (search) => pick(search, 'q', 'service', 'status', 'min', 'view', 'box'),
  component: lazyRouteComponent(() => import('../../features/traces/traces-page.tsx'), 'TracesPage'),
});

const trace = createRoute({
  ...page('/traces/$traceId'),
  validateSearch: (search) => pick(search, 'span', 'q', 'view'),
  loader: ({ params: { ws, traceId } }) => prefetch(traceQuery(ws, traceId)),
  component: lazyRouteComponent(() => import('../../features/traces/trace-page.tsx'), 'TracePage'),
});

const errors = createRoute({
  ...page('/errors'),
  staticData: { section: 'Observe', label: 'Errors', icon: IconBug },
  validateSearch: (search) => pick(search, 'q', 'service', 'state', 'sort', 'error'),
  component: lazyRouteComponent(() => import('../../features/errors/errors-page.tsx'), 'ErrorsPage'),
});

const metrics = createRoute({
  ...page('/metrics'),
  staticData: { section: 'Observe', label: 'Metrics', icon: IconChartLine },
  validateSearch: (search) => pick(search, 'metric', 'agg', 'by', 'service', 'prefix', 'q'),
  component: lazyRouteComponent(() => import('../../features/metrics/metrics-page.tsx'), 'MetricsPage'),
});

const profiles = createRoute({
  ...page('/profiles'),
  staticData: { section: 'Observe', label: 'Profiles', icon: IconFlame },
  validateSearch: (search) => pick(search, 'type', 'view', 'service', 'fn', 'q', 'trace', 'span'),
  component: lazyRouteComponent(() => import('../../features/profiles/profiles-page.tsx'), 'ProfilesPage'),
});

const dashboards = createRoute({
  ...page('/dashboards'),
  staticData: { section: 'Observe', label: 'Dashboards', icon: IconLayoutDashboard },
  validateSearch: (search) => pick(search, 'q'),
  loader: ({ params: { ws } }) => prefetch(dashboardsQuery(ws)),
  component: lazyRouteComponent(() => import('../../features/dashboards/dashboards-page.tsx'), 'DashboardsPage'),
});

const dashboard = createRoute({
  ...page('/dashboards/$id'),
  // The values of variables, the refresh, whether it is edited, and the panels that are split by a flag.
  validateSearch: (search) => pick(search, 'v', 'refresh', 'edit', 'split'),
  loader: ({ params: { ws, id } }) => prefetch(dashboardQuery(ws, id)),
  component: lazyRouteComponent(() => import('../../features/dashboards/dashboard-page.tsx'), 'DashboardPage'),
});

const readyDashboard = createRoute({
  ...page('/dashboards/library/$key'),
  validateSearch: (search) => pick(search, 'v'),
  loader: ({ params: { ws, project } }) => prefetch(libraryQuery(ws, project)),
  component: lazyRouteComponent(() => import('../../features/dashboards/library-page.tsx'), 'LibraryPage'),
});

const snapshot = createRoute({
  ...page('/dashboards/snapshots/$id'),
  loader: ({ params: { ws, id } }) => prefetch(snapshotQuery(ws, id)),
  component: lazyRouteComponent(() => import('../../features/dashboards/snapshot-page.tsx'), 'SnapshotPage'),
});

/** The pages of “Observe”, in the order of the navigation. */
export const observe = [
  home,
  services,
  service,
  serviceMap,
  dashboards,
  dashboard,
  readyDashboard,
  snapshot,
  explore,
  logs,
  traces,
  trace,
  errors,
  metrics,
  profiles,
] as const;
