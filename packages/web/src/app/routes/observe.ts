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
import { alertInstancesQuery } from '../../alerting/instances.ts';
import { dashboardQuery, dashboardsQuery, libraryQuery, snapshotQuery } from '../../features/dashboards/queries.ts';
import { searchConditions, volumeQuery } from '../../features/logs/log-search.ts';
import { linesQuery } from '../../features/logs/queries.ts';
import { LIST_ROWS, listQuery } from '../../features/metrics/metric-grid.ts';
import { kindQuery } from '../../features/metrics/metric-query.ts';
import { prefetchGrid } from '../../features/metrics/queries.ts';
import { prefetchFlame, typesQuery } from '../../features/profiles/queries.ts';
import { rampsQuery, releasesQuery } from '../../features/releases/queries.ts';
import {
  dependenciesQuery,
  errorsQuery,
  evaluatedFlagsQuery,
  failedSpansQuery,
  healthQuery,
  operationsQuery,
  rateHistoryQuery,
  SPARKLINE_BUCKETS,
  seriesQuery,
  versionsQuery,
  windowQuery,
} from '../../features/services/service-health.ts';
import { standingsQuery } from '../../features/slos/queries.ts';
import { traceQuery } from '../../features/traces/queries.ts';
import { bucketOf } from '../../telemetry/bucket-width.ts';
import { fieldsQuery } from '../../telemetry/field-hints.ts';
import { serviceQuery, servicesQuery } from '../../telemetry/services.ts';
import { prefetch, prefetchPages } from '../query-client.ts';
import { pick } from '../search.ts';
import { can } from '../session.ts';
import { page } from './scope.tsx';
import { prefetchOql, telemetryScope, windowOf } from './window.ts';

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
  loaderDeps: windowOf,
  loader: ({ params, deps }) => {
    const scope = telemetryScope(params, deps);
    prefetch(servicesQuery(params.ws, params.project, deps.env));
    prefetch(alertInstancesQuery(params.ws));
    prefetchOql(scope, healthQuery());
    prefetchOql(scope, rateHistoryQuery(bucketOf(scope.range, SPARKLINE_BUCKETS).text));
  },
  component: lazyRouteComponent(() => import('../../features/services/services-page.tsx'), 'ServicesPage'),
});

const service = createRoute({
  ...page('/services/$service'),
  loaderDeps: windowOf,
  loader: ({ params, deps }) => {
    const scope = telemetryScope(params, deps);
    prefetch(serviceQuery(params.ws, params.service));
    prefetch(alertInstancesQuery(params.ws));
    prefetchOql(scope, seriesQuery(params.service, bucketOf(scope.range).text));
    prefetchOql(scope, windowQuery(params.service));
    prefetchOql(scope, operationsQuery(params.service));
    prefetchOql(scope, failedSpansQuery(params.service));
    prefetchOql(scope, versionsQuery(params.service));
    prefetchOql(scope, errorsQuery(params.service));
    prefetch(dependenciesQuery(scope, params.service));
    prefetchOql(scope, evaluatedFlagsQuery(params.service));
  },
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
  validateSearch: (search) => pick(search, 'q', 'lang', 'view'),
  loaderDeps: ({ search }) => ({ ...windowOf({ search }), q: search.lang === undefined ? search.q : undefined }),
  loader: ({ params, deps: { q, ...window } }) => {
    if (q !== undefined) prefetchOql(telemetryScope(params, window), q);
  },
  component: lazyRouteComponent(() => import('../../features/explore/explore-page.tsx'), 'ExplorePage'),
});

const logs = createRoute({
  ...page('/logs'),
  staticData: { section: 'Observe', label: 'Logs', icon: IconListDetails },
  validateSearch: (search) =>
    pick(search, 'q', 'service', 'severity', 'where', 'fields', 'log', 'view', 'wrap', 'cols', 'evaluations'),
  loaderDeps: ({ search }) => ({
    window: windowOf({ search }),
    lines: search.view === undefined || search.view === 'lines' ? searchConditions(search) : null,
  }),
  loader: ({ params, deps: { window, lines } }) => {
    if (lines === null) return;
    const scope = telemetryScope(params, window);
    prefetchPages(linesQuery({ ...scope, conditions: lines }));
    prefetchOql(scope, volumeQuery(lines, bucketOf(scope.range).text));
    prefetch(fieldsQuery(scope, { source: 'logs' }));
  },
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
  loaderDeps: ({ search }) => ({ window: windowOf({ search }), ...pick(search, 'metric', 'prefix', 'q') }),
  loader: ({ params, deps: { window, metric, prefix, q } }) => {
    const scope = telemetryScope(params, window);
    if (metric !== undefined) prefetchOql(scope, kindQuery(metric));
    else if (prefix !== undefined || q !== undefined) prefetchOql(scope, listQuery, LIST_ROWS);
    else if (can(params.ws, 'telemetry:query')) void prefetchGrid(scope);
  },
  component: lazyRouteComponent(() => import('../../features/metrics/metrics-page.tsx'), 'MetricsPage'),
});

const profiles = createRoute({
  ...page('/profiles'),
  staticData: { section: 'Observe', label: 'Profiles', icon: IconFlame },
  validateSearch: (search) => pick(search, 'type', 'view', 'service', 'fn', 'q', 'trace', 'span'),
  loaderDeps: ({ search }) => ({
    window: windowOf({ search }),
    ...pick(search, 'type', 'view', 'service', 'trace', 'span'),
  }),
  loader: ({ params, deps: { window, view, type, service, trace, span } }) => {
    const scope = telemetryScope(params, window);
    if (view === undefined || view === 'flame') void prefetchFlame(scope, { type, service, trace, span });
    else prefetch(typesQuery(scope));
  },
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
