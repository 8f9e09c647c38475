import { createRouter } from '@tanstack/react-router';
import { whenSignedOut } from '../api/client.ts';
import { connection } from '../api/connection.ts';
import { PagePending } from '../ui/page.tsx';
import { ErrorPage } from './error-page.tsx';
import { NotFoundPage } from './not-found.tsx';
import { queryClient } from './query-client.ts';
import { alerting } from './routes/alerting.ts';
import { observe } from './routes/observe.ts';
import { release } from './routes/release.ts';
import { root } from './routes/root.tsx';
import { elsewhere, scope, scopeHome } from './routes/scope.tsx';
import { setUp } from './routes/set-up.ts';
import { slos } from './routes/slos.ts';
import { wayIn } from './routes/way-in.ts';
import { parseSearch, stringifySearch } from './search.ts';
import { meQuery } from './session.ts';

/** All routes of the application. The files below `routes/` are named after the sections of the navigation. */
const tree = root.addChildren([
  ...wayIn,
  scope.addChildren([scopeHome, ...observe, ...alerting, ...slos, ...release, ...setUp, elsewhere]),
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
  defaultPendingComponent: PagePending,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  scrollRestoration: false,
});

/** Starts to load the code of a page at once: the router does so only when the session is known. */
export function loadPage(pathname: string): void {
  const [routes] = router.getMatchedRoutes(pathname);
  for (const route of routes) {
    // The router loads it again, and reports what fails then.
    router.loadRouteChunk(route)?.catch(() => {});
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// Pages that could not be loaded open when the server answers again.
connection.subscribe(() => {
  if (connection.current().state === 'up') void router.invalidate();
});

// A session that ends while a page is open redirects to sign-in, and back to the same URL afterwards.
let isLeaving = false;
whenSignedOut(() => {
  const { pathname, href } = router.state.location;
  // If no account was loaded before, no session has expired: the page's guard redirects to sign-in.
  if (isLeaving || !pathname.startsWith('/w/') || queryClient.getQueryData(meQuery.queryKey) === undefined) return;
  isLeaving = true;
  // Until the sign-in page is loaded, the page still reads the account: without it, it would ask again and fail.
  void router.navigate({ to: '/sign-in', search: { next: href, expired: '1' }, replace: true }).finally(() => {
    isLeaving = false;
    queryClient.removeQueries({ queryKey: meQuery.queryKey });
  });
});
