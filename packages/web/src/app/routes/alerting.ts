import { IconBell, IconBellOff } from '@tabler/icons-react';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { alertInstanceQuery, alertRuleQuery, alertRulesQuery } from '../../features/alerts/queries.ts';
import { silencesQuery } from '../../features/silences/queries.ts';
import { prefetch } from '../query-client.ts';
import { pick } from '../search.ts';
import { page } from './scope.tsx';

const alerts = createRoute({
  ...page('/alerts'),
  staticData: { section: 'Alerting', label: 'Alerts', icon: IconBell },
  validateSearch: (search) => pick(search, 'q'),
  loader: ({ params: { ws, project } }) => prefetch(alertRulesQuery(ws, project)),
  component: lazyRouteComponent(() => import('../../features/alerts/alerts-page.tsx'), 'AlertsPage'),
});

const newAlertRule = createRoute({
  ...page('/alerts/rules/new'),
  validateSearch: (search) => pick(search, 'q', 'lang'),
  component: lazyRouteComponent(() => import('../../features/alerts/new-rule-page.tsx'), 'NewRulePage'),
});

const alertRule = createRoute({
  ...page('/alerts/rules/$id'),
  loader: ({ params: { ws, id } }) => prefetch(alertRuleQuery(ws, id)),
  component: lazyRouteComponent(() => import('../../features/alerts/rule-page.tsx'), 'RulePage'),
});

const alertInstance = createRoute({
  ...page('/alerts/$id'),
  loader: ({ params: { ws, id } }) => prefetch(alertInstanceQuery(ws, id)),
  component: lazyRouteComponent(() => import('../../features/alerts/instance-page.tsx'), 'InstancePage'),
});

const silences = createRoute({
  ...page('/silences'),
  staticData: { section: 'Alerting', label: 'Silences', icon: IconBellOff },
  validateSearch: (search) => pick(search, 'show'),
  loader: ({ params: { ws } }) => prefetch(silencesQuery(ws, 'active')),
  component: lazyRouteComponent(() => import('../../features/silences/silences-page.tsx'), 'SilencesPage'),
});

const newSilence = createRoute({
  ...page('/silences/new'),
  validateSearch: (search) => pick(search, 'silence', 'alert'),
  component: lazyRouteComponent(() => import('../../features/silences/new-silence-page.tsx'), 'NewSilencePage'),
});

/** The pages of “Alerting”, in the order of the navigation. */
export const alerting = [alerts, newAlertRule, alertRule, alertInstance, silences, newSilence] as const;
