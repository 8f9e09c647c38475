import { getTelemetryStatus } from '@fanion/contract';
import { createRoute, notFound, redirect, retainSearchParams } from '@tanstack/react-router';
import { routeQuery } from '../../api/queries.ts';
import { ErrorPage } from '../error-page.tsx';
import { NotFoundPage } from '../not-found.tsx';
import { queryClient } from '../query-client.ts';
import { pick } from '../search.ts';
import { environmentsQuery, meQuery, NO_PROJECT, projectsQuery } from '../session.ts';
import { Shell } from '../shell.tsx';
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
