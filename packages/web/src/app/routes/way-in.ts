import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router';
import { isSignedOut } from '../../api/client.ts';
import { announceAccount, knownAccount } from '../ended-session.ts';
import { queryClient } from '../query-client.ts';
import { pick } from '../search.ts';
import { homeScope, meQuery, NO_PROJECT, projectsQuery } from '../session.ts';
import { root } from './root.tsx';

// Pages without a session ------------------------------------------------------------------------------------------

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search) => pick(search, 'next', 'error', 'provider', 'reason'),
  component: lazyRouteComponent(() => import('../../features/auth/sign-in-page.tsx'), 'SignInPage'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: (search) => pick(search, 'next'),
  component: lazyRouteComponent(() => import('../../features/auth/sign-up-page.tsx'), 'SignUpPage'),
});
/** Where a provider returns to in the window that the dialog of an ended session opened. */
const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  beforeLoad: requireSession,
  component: lazyRouteComponent(() => import('../../features/auth/signed-in-page.tsx'), 'SignedInPage'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$token',
  component: lazyRouteComponent(() => import('../../features/auth/invitation-page.tsx'), 'InvitationPage'),
});

// From a session to a project ----------------------------------------------------------------------------------------

/** Routes below this need a session; without one they redirect to sign-in and back. */
export async function requireSession({ location }: { location: { href: string } }): Promise<void> {
  if (knownAccount() !== undefined) return;
  try {
    await queryClient.ensureQueryData(meQuery);
    announceAccount();
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

/** Short URLs without a workspace, as people and programs write them: /traces/<id>, /flags, /settings. */
const SHORT =
  /^\/(home|errors|first-steps|services|service-map|metrics|profiles|usage|operations|explore|logs|traces|flags|releases|segments|changes|timeline|settings)(\/|$)/;
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

export const wayIn = [signIn, signUp, signedIn, invitation, home, workspace, short] as const;
