import { getTelemetryStatus } from '@fanion/contract';
import { createRoute, notFound, redirect, retainSearchParams } from '@tanstack/react-router';
import { routeQuery } from '../../api/queries.ts';
import { ErrorPage } from '../error-page.tsx';
import { NotFoundPage } from '../not-found.tsx';
import { prefetch, queryClient } from '../query-client.ts';
import { pick } from '../search.ts';
import { coloursQuery } from '../service-colours.ts';
import { environmentsQuery, meQuery, NO_PROJECT, projectsQuery, type Scope } from '../session.ts';
import { Shell, ShellPending } from '../shell.tsx';
import { root } from './root.tsx';
import { requireSession } from './way-in.ts';

export interface ScopeSearch {
  /** Key of an environment; absent means all environments. */
  env?: string;
  from?: string;
  to?: string;
}

/** The frame of every workspace page: the URL holds project, environment and time range. */
export const scope = createRoute({
  getParentRoute: () => root,
  path: '/w/$ws/$project',
  validateSearch: (search): ScopeSearch => pick(search, 'env', 'from', 'to'),
  search: { middlewares: [retainSearchParams<ScopeSearch>(['env', 'from', 'to'])] },
  beforeLoad: (context) => {
    startProject(context.params);
    return requireSession(context);
  },
  loader: async ({ params: { ws, project } }) => {
    const { workspaces } = await queryClient.ensureQueryData(meQuery);
    if (!workspaces.some((candidate) => candidate.slug === ws || candidate.id === ws)) throw notFound();
    const projects = await queryClient.ensureQueryData(projectsQuery(ws));
    if (project === NO_PROJECT) return;
    if (!projects.some((candidate) => candidate.key === project || candidate.id === project)) throw notFound();
    await queryClient.ensureQueryData(environmentsQuery(ws, project));
  },
  component: Shell,
  pendingComponent: ShellPending,
  pendingMs: 0,
  errorComponent: ErrorPage,
  notFoundComponent: () => <NotFoundPage />,
});

/** What every page of a project needs: when the application starts, it is asked for beside the session instead of after it. */
function startProject({ ws, project }: Scope): void {
  if (project === NO_PROJECT || queryClient.getQueryData(meQuery.queryKey) !== undefined) return;
  prefetch(projectsQuery(ws));
  prefetch(environmentsQuery(ws, project));
  prefetch(coloursQuery({ ws, project }));
}

/** Route options of a workspace page: `createRoute({ ...page('/logs'), component })`. */
export const page = <const P extends string>(path: P) => ({ getParentRoute: () => scope, path }) as const;

/** The start page: first steps until telemetry arrives, then the home page. */
export const scopeHome = createRoute({
  getParentRoute: () => scope,
  path: '/',
  loader: async ({ params }) => {
    if (params.project === NO_PROJECT)
      throw redirect({ to: '/w/$ws/$project/settings/projects', params, replace: true });
    const status = await queryClient
      .fetchQuery(routeQuery(getTelemetryStatus, { params: { ws: params.ws, p: params.project } }))
      .catch(() => ({ arrived: true }));
    throw redirect({
      to: status.arrived ? '/w/$ws/$project/home' : '/w/$ws/$project/first-steps',
      params,
      replace: true,
    });
  },
});

/** All other workspace URLs: not found, with the navigation kept. */
export const elsewhere = createRoute({ ...page('/$'), component: () => <NotFoundPage /> });
