import { getTelemetryStatus } from '@fanion/contract';
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { isSignedOut, whenSignedOut } from '../api/client.ts';
import { routeQuery } from '../api/queries.ts';
import { Loading } from '../ui/states.tsx';
import { ErrorPage } from './error-page.tsx';
import { NotFoundPage } from './not-found.tsx';
import { queryClient } from './query-client.ts';
import { parseSearch, pick, stringifySearch } from './search.ts';
import { environmentsQuery, homeScope, meQuery, NO_PROJECT, projectsQuery } from './session.ts';
import { Shell } from './shell.tsx';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: () => (
    <main>
      <NotFoundPage />
    </main>
  ),
});

// Pages without a session ------------------------------------------------------------------------------------------

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search) => pick(search, 'next', 'expired', 'error', 'provider', 'reason'),
  component: lazyRouteComponent(() => import('../features/auth/sign-in-page.tsx'), 'SignInPage'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: (search) => pick(search, 'next'),
  component: lazyRouteComponent(() => import('../features/auth/sign-up-page.tsx'), 'SignUpPage'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$token',
  component: lazyRouteComponent(() => import('../features/auth/invitation-page.tsx'), 'InvitationPage'),
});

// The way in ---------------------------------------------------------------------------------------------------------

/** Everything behind this needs a session; without one it leads to sign-in and back. */
async function requireSession({ location }: { location: { href: string } }): Promise<void> {
  try {
    await queryClient.ensureQueryData(meQuery);
  } catch (error) {
    if (isSignedOut(error))
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
    throw error;
  }
}

async function toHome(): Promise<never> {
  const scope = await homeScope();
  if (!scope) throw notFound();
  throw redirect({ to: '/w/$ws/$project', params: scope, replace: true });
}

const home = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: requireSession, loader: toHome });

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$ws',
  beforeLoad: requireSession,
  loader: async ({ params: { ws } }) => {
    const { workspaces } = await queryClient.ensureQueryData(meQuery);
    if (!workspaces.some((candidate) => candidate.slug === ws || candidate.id === ws)) throw notFound();
    const projects = await queryClient.ensureQueryData(projectsQuery(ws));
    throw redirect({ to: '/w/$ws/$project', params: { ws, project: projects[0]?.key ?? NO_PROJECT }, replace: true });
  },
});

/** Short addresses that do not name a workspace, as people and programs write them: /traces/<id>, /flags, /settings. */
const SHORT =
  /^\/(first-steps|services|service-map|metrics|profiles|usage|explore|logs|traces|flags|segments|changes|settings)(\/|$)/;
const short = createRoute({
  getParentRoute: () => root,
  path: '/$',
  beforeLoad: async ({ location }) => {
    if (!SHORT.test(location.pathname)) throw notFound();
    await requireSession({ location });
    const scope = await homeScope();
    if (!scope) throw notFound();
    throw redirect({ href: `/w/${scope.ws}/${scope.project}${location.href}`, replace: true });
  },
});

// Pages of a workspace -----------------------------------------------------------------------------------------------

export interface ScopeSearch {
  /** Key of an environment; all of them when absent. */
  env?: string;
  from?: string;
  to?: string;
}

const scope = createRoute({
  getParentRoute: () => root,
  path: '/w/$ws/$project',
  validateSearch: (search): ScopeSearch => pick(search, 'env', 'from', 'to'),
  search: { middlewares: [retainSearchParams<ScopeSearch>(['env', 'from', 'to'])] },
  beforeLoad: requireSession,
  loader: async ({ params: { ws, project } }) => {
    const { workspaces } = await queryClient.ensureQueryData(meQuery);
    if (!workspaces.some((candidate) => candidate.slug === ws || candidate.id === ws)) throw notFound();
    const projects = await queryClient.ensureQueryData(projectsQuery(ws));
    if (project === NO_PROJECT) return;
    if (!projects.some((candidate) => candidate.key === project || candidate.id === project)) throw notFound();
    await queryClient.ensureQueryData(environmentsQuery(ws, project));
  },
  component: Shell,
  errorComponent: ErrorPage,
  notFoundComponent: () => <NotFoundPage />,
});

/** The first page: first steps until telemetry has arrived, the services from then on. */
const scopeHome = createRoute({
  getParentRoute: () => scope,
  path: '/',
  loader: async ({ params }) => {
    if (params.project === NO_PROJECT)
      throw redirect({ to: '/w/$ws/$project/settings/projects', params, replace: true });
    const status = await queryClient
      .fetchQuery(routeQuery(getTelemetryStatus, { params: { ws: params.ws, p: params.project } }))
      .catch(() => ({ arrived: true }));
    throw redirect({
      to: status.arrived ? '/w/$ws/$project/services' : '/w/$ws/$project/first-steps',
      params,
      replace: true,
    });
  },
});

const page = <const P extends string>(path: P) => ({ getParentRoute: () => scope, path }) as const;

export const firstSteps = createRoute({
  ...page('/first-steps'),
  component: lazyRouteComponent(() => import('../features/first-steps/first-steps-page.tsx'), 'FirstStepsPage'),
});
const services = createRoute({
  ...page('/services'),
  validateSearch: (search) => pick(search, 'q'),
  component: lazyRouteComponent(() => import('../features/services/services-page.tsx'), 'ServicesPage'),
});
const service = createRoute({
  ...page('/services/$service'),
  component: lazyRouteComponent(() => import('../features/services/service-page.tsx'), 'ServicePage'),
});
const explore = createRoute({
  ...page('/explore'),
  validateSearch: (search) => pick(search, 'q', 'view'),
  component: lazyRouteComponent(() => import('../features/explore/explore-page.tsx'), 'ExplorePage'),
});
const logs = createRoute({
  ...page('/logs'),
  validateSearch: (search) => pick(search, 'q', 'service', 'severity', 'log', 'view'),
  component: lazyRouteComponent(() => import('../features/logs/logs-page.tsx'), 'LogsPage'),
});
const serviceMap = createRoute({
  ...page('/service-map'),
  validateSearch: (search) => pick(search, 'service'),
  component: lazyRouteComponent(() => import('../features/service-map/service-map-page.tsx'), 'ServiceMapPage'),
});
const metrics = createRoute({
  ...page('/metrics'),
  validateSearch: (search) => pick(search, 'metric', 'agg', 'by', 'service'),
  component: lazyRouteComponent(() => import('../features/metrics/metrics-page.tsx'), 'MetricsPage'),
});
const profiles = createRoute({
  ...page('/profiles'),
  validateSearch: (search) => pick(search, 'type', 'view', 'service', 'fn', 'q', 'trace', 'span'),
  component: lazyRouteComponent(() => import('../features/profiles/profiles-page.tsx'), 'ProfilesPage'),
});
const usage = createRoute({
  ...page('/usage'),
  component: lazyRouteComponent(() => import('../features/usage/usage-page.tsx'), 'UsagePage'),
});
const traces = createRoute({
  ...page('/traces'),
  validateSearch: (search) => pick(search, 'q', 'service', 'status', 'min', 'view', 'box'),
  component: lazyRouteComponent(() => import('../features/traces/traces-page.tsx'), 'TracesPage'),
});
const trace = createRoute({
  ...page('/traces/$traceId'),
  validateSearch: (search) => pick(search, 'span', 'q', 'view'),
  component: lazyRouteComponent(() => import('../features/traces/trace-page.tsx'), 'TracePage'),
});
const flags = createRoute({
  ...page('/flags'),
  validateSearch: (search) => pick(search, 'q', 'show'),
  component: lazyRouteComponent(() => import('../features/flags/flags-page.tsx'), 'FlagsPage'),
});
const newFlag = createRoute({
  ...page('/flags/new'),
  component: lazyRouteComponent(() => import('../features/flags/new-flag-page.tsx'), 'NewFlagPage'),
});
const flag = createRoute({
  ...page('/flags/$key'),
  validateSearch: (search) => pick(search, 'tab'),
  component: lazyRouteComponent(() => import('../features/flags/flag-page.tsx'), 'FlagPage'),
});

const segments = createRoute({
  ...page('/segments'),
  validateSearch: (search) => pick(search, 'q'),
  component: lazyRouteComponent(() => import('../features/segments/segments-page.tsx'), 'SegmentsPage'),
});
const newSegment = createRoute({
  ...page('/segments/new'),
  component: lazyRouteComponent(() => import('../features/segments/new-segment-page.tsx'), 'NewSegmentPage'),
});
const segment = createRoute({
  ...page('/segments/$key'),
  component: lazyRouteComponent(() => import('../features/segments/segment-page.tsx'), 'SegmentPage'),
});
const changes = createRoute({
  ...page('/changes'),
  validateSearch: (search) => pick(search, 'status', 'flag', 'change'),
  component: lazyRouteComponent(() => import('../features/changes/changes-page.tsx'), 'ChangesPage'),
});

/** Everything else of a workspace: not found, with the navigation kept. */
const elsewhere = createRoute({ ...page('/$'), component: () => <NotFoundPage /> });

// Settings -----------------------------------------------------------------------------------------------------------

const settings = createRoute({
  ...page('/settings'),
  component: lazyRouteComponent(() => import('../features/settings/settings-layout.tsx'), 'SettingsLayout'),
});
const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/w/$ws/$project/settings/members', params, replace: true });
  },
});
const setting = <const P extends string>(path: P) => ({ getParentRoute: () => settings, path }) as const;
const settingsPages = [
  settingsHome,
  createRoute({
    ...setting('/members'),
    component: lazyRouteComponent(() => import('../features/settings/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    ...setting('/roles'),
    component: lazyRouteComponent(() => import('../features/settings/roles-page.tsx'), 'RolesPage'),
  }),
  createRoute({
    ...setting('/tokens'),
    component: lazyRouteComponent(() => import('../features/settings/tokens-page.tsx'), 'TokensPage'),
  }),
  createRoute({
    ...setting('/sdk-keys'),
    component: lazyRouteComponent(() => import('../features/settings/sdk-keys-page.tsx'), 'SdkKeysPage'),
  }),
  createRoute({
    ...setting('/environments'),
    component: lazyRouteComponent(() => import('../features/settings/environments-page.tsx'), 'EnvironmentsPage'),
  }),
  createRoute({
    ...setting('/projects'),
    component: lazyRouteComponent(() => import('../features/settings/projects-page.tsx'), 'ProjectsPage'),
  }),
  createRoute({
    ...setting('/workspace'),
    component: lazyRouteComponent(() => import('../features/settings/workspace-page.tsx'), 'WorkspacePage'),
  }),
  createRoute({
    ...setting('/audit'),
    validateSearch: (search: Record<string, unknown>) => pick(search, 'action', 'entry'),
    component: lazyRouteComponent(() => import('../features/settings/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    ...setting('/profile'),
    component: lazyRouteComponent(() => import('../features/settings/profile-page.tsx'), 'ProfilePage'),
  }),
] as const;

const tree = root.addChildren([
  signIn,
  signUp,
  invitation,
  home,
  workspace,
  short,
  scope.addChildren([
    scopeHome,
    firstSteps,
    services,
    service,
    explore,
    logs,
    serviceMap,
    metrics,
    profiles,
    usage,
    traces,
    trace,
    flags,
    newFlag,
    flag,
    segments,
    newSegment,
    segment,
    changes,
    settings.addChildren(settingsPages),
    elsewhere,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  context: { queryClient },
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: () => <NotFoundPage />,
  defaultPendingComponent: () => <Loading />,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// A session that ends while a page is open leads to sign-in, and back to the same address afterwards.
whenSignedOut(() => {
  const { pathname, href } = router.state.location;
  // Without an account that was loaded before, nothing has expired: the guard of the page leads to sign-in.
  if (!pathname.startsWith('/w/') || queryClient.getQueryData(meQuery.queryKey) === undefined) return;
  queryClient.removeQueries({ queryKey: meQuery.queryKey });
  void router.navigate({ to: '/sign-in', search: { next: href, expired: '1' }, replace: true });
});
