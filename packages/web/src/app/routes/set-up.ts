import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { pick } from '../search.ts';
import { page } from './scope.tsx';

const firstSteps = createRoute({
  ...page('/first-steps'),
  component: lazyRouteComponent(() => import('../../features/first-steps/first-steps-page.tsx'), 'FirstStepsPage'),
});

const usage = createRoute({
  ...page('/usage'),
  component: lazyRouteComponent(() => import('../../features/usage/usage-page.tsx'), 'UsagePage'),
});

const settings = createRoute({
  ...page('/settings'),
  component: lazyRouteComponent(() => import('../../features/settings/settings-layout.tsx'), 'SettingsLayout'),
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
    component: lazyRouteComponent(() => import('../../features/settings/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    ...setting('/roles'),
    component: lazyRouteComponent(() => import('../../features/settings/roles-page.tsx'), 'RolesPage'),
  }),
  createRoute({
    ...setting('/tokens'),
    component: lazyRouteComponent(() => import('../../features/settings/tokens-page.tsx'), 'TokensPage'),
  }),
  createRoute({
    ...setting('/sdk-keys'),
    component: lazyRouteComponent(() => import('../../features/settings/sdk-keys-page.tsx'), 'SdkKeysPage'),
  }),
  createRoute({
    ...setting('/environments'),
    component: lazyRouteComponent(() => import('../../features/settings/environments-page.tsx'), 'EnvironmentsPage'),
  }),
  createRoute({
    ...setting('/projects'),
    component: lazyRouteComponent(() => import('../../features/settings/projects-page.tsx'), 'ProjectsPage'),
  }),
  createRoute({
    ...setting('/workspace'),
    component: lazyRouteComponent(() => import('../../features/settings/workspace-page.tsx'), 'WorkspacePage'),
  }),
  createRoute({
    ...setting('/audit'),
    validateSearch: (search: Record<string, unknown>) => pick(search, 'action', 'entry'),
    component: lazyRouteComponent(() => import('../../features/settings/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    ...setting('/profile'),
    component: lazyRouteComponent(() => import('../../features/settings/profile-page.tsx'), 'ProfilePage'),
  }),
] as const;

/** The pages of “Set up”, in the order of the navigation. */
export const setUp = [firstSteps, usage, settings.addChildren(settingsPages)] as const;
