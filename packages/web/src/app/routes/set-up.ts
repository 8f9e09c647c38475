import {
  IconActivityHeartbeat,
  IconGauge,
  IconGitBranch,
  IconPlaylistAdd,
  IconPlugConnected,
  IconSend,
  IconSettings,
} from '@tabler/icons-react';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { channelsQuery } from '../../features/channels/queries.ts';
import { operationsQuery } from '../../features/operations/queries.ts';
import { recordingRuleQuery, recordingRulesQuery } from '../../features/recording-rules/queries.ts';
import { policiesQuery } from '../../features/routing/queries.ts';
import { prefetch } from '../query-client.ts';
import { pick } from '../search.ts';
import { page } from './scope.tsx';

const firstSteps = createRoute({
  ...page('/first-steps'),
  staticData: { section: 'Set up', label: 'First steps', icon: IconPlugConnected },
  component: lazyRouteComponent(() => import('../../features/first-steps/first-steps-page.tsx'), 'FirstStepsPage'),
});

const routing = createRoute({
  ...page('/routing'),
  staticData: { section: 'Set up', label: 'Routing', icon: IconGitBranch },
  validateSearch: (search) => pick(search, 'labels'),
  loader: ({ params: { ws } }) => prefetch(policiesQuery(ws)),
  component: lazyRouteComponent(() => import('../../features/routing/routing-page.tsx'), 'RoutingPage'),
});

const channels = createRoute({
  ...page('/channels'),
  staticData: { section: 'Set up', label: 'Channels', icon: IconSend },
  loader: ({ params: { ws } }) => prefetch(channelsQuery(ws)),
  component: lazyRouteComponent(() => import('../../features/channels/channels-page.tsx'), 'ChannelsPage'),
});

const recordingRules = createRoute({
  ...page('/recording-rules'),
  staticData: { section: 'Set up', label: 'Recording rules', icon: IconPlaylistAdd },
  loader: ({ params: { ws, project } }) => prefetch(recordingRulesQuery(ws, project)),
  component: lazyRouteComponent(
    () => import('../../features/recording-rules/recording-rules-page.tsx'),
    'RecordingRulesPage',
  ),
});

const newRecordingRule = createRoute({
  ...page('/recording-rules/new'),
  validateSearch: (search) => pick(search, 'q'),
  component: lazyRouteComponent(
    () => import('../../features/recording-rules/new-rule-page.tsx'),
    'NewRecordingRulePage',
  ),
});

const recordingRule = createRoute({
  ...page('/recording-rules/$id'),
  loader: ({ params: { ws, id } }) => prefetch(recordingRuleQuery(ws, id)),
  component: lazyRouteComponent(() => import('../../features/recording-rules/rule-page.tsx'), 'RecordingRulePage'),
});

const usage = createRoute({
  ...page('/usage'),
  staticData: { section: 'Set up', label: 'Usage', icon: IconGauge },
  component: lazyRouteComponent(() => import('../../features/usage/usage-page.tsx'), 'UsagePage'),
});

const operations = createRoute({
  ...page('/operations'),
  staticData: { section: 'Set up', label: 'Operations', icon: IconActivityHeartbeat },
  loader: ({ params: { ws } }) => prefetch(operationsQuery(ws)),
  component: lazyRouteComponent(() => import('../../features/operations/operations-page.tsx'), 'OperationsPage'),
});

const settings = createRoute({
  ...page('/settings'),
  staticData: { section: 'Set up', label: 'Settings', icon: IconSettings },
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
    staticData: { section: 'Settings', group: 'Workspace', label: 'Members' },
    component: lazyRouteComponent(() => import('../../features/settings/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    ...setting('/roles'),
    staticData: { section: 'Settings', group: 'Workspace', label: 'Roles' },
    component: lazyRouteComponent(() => import('../../features/settings/roles-page.tsx'), 'RolesPage'),
  }),
  createRoute({
    ...setting('/tokens'),
    staticData: { section: 'Settings', group: 'Workspace', label: 'API tokens' },
    component: lazyRouteComponent(() => import('../../features/settings/tokens-page.tsx'), 'TokensPage'),
  }),
  createRoute({
    ...setting('/sdk-keys'),
    staticData: { section: 'Settings', group: 'Project', label: 'SDK keys' },
    component: lazyRouteComponent(() => import('../../features/settings/sdk-keys-page.tsx'), 'SdkKeysPage'),
  }),
  createRoute({
    ...setting('/environments'),
    staticData: { section: 'Settings', group: 'Project', label: 'Environments' },
    component: lazyRouteComponent(() => import('../../features/settings/environments-page.tsx'), 'EnvironmentsPage'),
  }),
  createRoute({
    ...setting('/projects'),
    staticData: { section: 'Settings', group: 'Workspace', label: 'Projects' },
    component: lazyRouteComponent(() => import('../../features/settings/projects-page.tsx'), 'ProjectsPage'),
  }),
  createRoute({
    ...setting('/workspace'),
    staticData: { section: 'Settings', group: 'Workspace', label: 'Workspace' },
    component: lazyRouteComponent(() => import('../../features/settings/workspace-page.tsx'), 'WorkspacePage'),
  }),
  createRoute({
    ...setting('/audit'),
    staticData: { section: 'Settings', group: 'Workspace', label: 'Audit log' },
    validateSearch: (search: Record<string, unknown>) => pick(search, 'action', 'entry'),
    component: lazyRouteComponent(() => import('../../features/settings/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    ...setting('/profile'),
    staticData: { section: 'Settings', group: 'You', label: 'Profile' },
    component: lazyRouteComponent(() => import('../../features/settings/profile-page.tsx'), 'ProfilePage'),
  }),
] as const;

/** The pages of “Set up”, in the order of the navigation. */
export const setUp = [
  firstSteps,
  channels,
  routing,
  recordingRules,
  newRecordingRule,
  recordingRule,
  usage,
  operations,
  settings.addChildren(settingsPages),
] as const;
