import { createRouter } from '@tanstack/react-router';
import { whenSignedOut } from '../api/client.ts';
import { connection } from '../api/connection.ts';
import { PagePending } from '../ui/page.tsx';
import { endedSession, knownAccount, listenForAccounts, resumeSession, sameAccount } from './ended-session.ts';
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

// A session that ends while a page is open leaves the page as it is: a dialog asks to sign in again.
whenSignedOut(() => {
  // If no account was loaded before, no session has ended: the page's guard redirects to sign-in.
  if (router.state.location.pathname.startsWith('/w/') && knownAccount() !== undefined) endedSession.end();
});
listenForAccounts(() => {
  // Nothing failed while the other account was away, unless the dialog is open.
  if (endedSession.hasEnded()) void resumeSession().catch(() => {});
  else if (knownAccount() !== undefined) void sameAccount().catch(() => {});
});
endedSession.whenResumed(() => {
  void queryClient.invalidateQueries();
  void router.invalidate();
});
