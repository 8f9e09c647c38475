import {
  IconFlag3,
  IconFlask,
  IconGitPullRequest,
  IconHistory,
  IconRuler2,
  IconTrendingUp,
  IconUsersGroup,
} from '@tabler/icons-react';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { experimentQuery, experimentsQuery } from '../../features/experiments/queries.ts';
import { metricQuery } from '../../features/flag-metrics/queries.ts';
import { flagQuery, flagsQuery, prefetchTargeting, segmentsQuery } from '../../features/flags/queries.ts';
import { metricsQuery } from '../../features/judging/queries.ts';
import { rampsQuery, releasesQuery } from '../../features/releases/queries.ts';
import { prefetch } from '../query-client.ts';
import { pick } from '../search.ts';
import { page } from './scope.tsx';

const flags = createRoute({
  ...page('/flags'),
  staticData: { section: 'Release', label: 'Flags', icon: IconFlag3 },
  validateSearch: (search) => pick(search, 'q', 'show'),
  loaderDeps: ({ search: { show } }) => ({ archived: show === 'archived' }),
  loader: ({ params: { ws, project }, deps: { archived } }) => prefetch(flagsQuery(ws, project, archived)),
  component: lazyRouteComponent(() => import('../../features/flags/flags-page.tsx'), 'FlagsPage'),
});

const newFlag = createRoute({
  ...page('/flags/new'),
  component: lazyRouteComponent(() => import('../../features/flags/new-flag-page.tsx'), 'NewFlagPage'),
});

const flag = createRoute({
  ...page('/flags/$key'),
  validateSearch: (search) => pick(search, 'tab'),
  loaderDeps: ({ search: { env, tab } }) => ({ env, tab }),
  loader: ({ params, deps: { env, tab } }) => {
    const { ws, project, key } = params;
    prefetch(flagQuery(ws, project, key));
    if (tab === undefined) prefetchTargeting(params, key, env);
  },
  component: lazyRouteComponent(() => import('../../features/flags/flag-page.tsx'), 'FlagPage'),
});

const releases = createRoute({
  ...page('/releases'),
  staticData: { section: 'Release', label: 'Ramps and releases', icon: IconTrendingUp },
  validateSearch: (search) => pick(search, 'flag'),
  loader: ({ params }) => {
    prefetch(rampsQuery(params));
    prefetch(releasesQuery(params));
  },
  component: lazyRouteComponent(() => import('../../features/releases/releases-page.tsx'), 'ReleasesPage'),
});

const experiments = createRoute({
  ...page('/experiments'),
  staticData: { section: 'Release', label: 'Experiments', icon: IconFlask },
  loader: ({ params: { ws, project } }) => prefetch(experimentsQuery({ ws, project })),
  component: lazyRouteComponent(() => import('../../features/experiments/experiments-page.tsx'), 'ExperimentsPage'),
});

const experiment = createRoute({
  ...page('/experiments/$id'),
  loader: ({ params: { ws, project, id } }) => prefetch(experimentQuery({ ws, project }, id)),
  component: lazyRouteComponent(() => import('../../features/experiments/experiment-page.tsx'), 'ExperimentPage'),
});

const newExperiment = createRoute({
  ...page('/experiments/new'),
  validateSearch: (search) => pick(search, 'flag'),
  component: lazyRouteComponent(
    () => import('../../features/experiments/new-experiment-page.tsx'),
    'NewExperimentPage',
  ),
});

const editExperiment = createRoute({
  ...page('/experiments/$id/edit'),
  loader: ({ params: { ws, project, id } }) => prefetch(experimentQuery({ ws, project }, id)),
  component: lazyRouteComponent(
    () => import('../../features/experiments/edit-experiment-page.tsx'),
    'EditExperimentPage',
  ),
});

const flagMetrics = createRoute({
  ...page('/flag-metrics'),
  staticData: { section: 'Release', label: 'Flag metrics', icon: IconRuler2 },
  validateSearch: (search) => pick(search, 'q'),
  loader: ({ params: { ws, project } }) => prefetch(metricsQuery(ws, project)),
  component: lazyRouteComponent(() => import('../../features/flag-metrics/flag-metrics-page.tsx'), 'FlagMetricsPage'),
});

const newFlagMetric = createRoute({
  ...page('/flag-metrics/new'),
  validateSearch: (search) => pick(search, 'copy', 'q'),
  component: lazyRouteComponent(() => import('../../features/flag-metrics/new-metric-page.tsx'), 'NewMetricPage'),
});

const flagMetric = createRoute({
  ...page('/flag-metrics/$id'),
  loader: ({ params: { ws, project, id } }) => prefetch(metricQuery({ ws, project }, id)),
  component: lazyRouteComponent(() => import('../../features/flag-metrics/metric-page.tsx'), 'MetricPage'),
});

const segments = createRoute({
  ...page('/segments'),
  staticData: { section: 'Release', label: 'Segments', icon: IconUsersGroup },
  validateSearch: (search) => pick(search, 'q'),
  loader: ({ params: { ws, project } }) => prefetch(segmentsQuery(ws, project)),
  component: lazyRouteComponent(() => import('../../features/segments/segments-page.tsx'), 'SegmentsPage'),
});

const newSegment = createRoute({
  ...page('/segments/new'),
  component: lazyRouteComponent(() => import('../../features/segments/new-segment-page.tsx'), 'NewSegmentPage'),
});

const segment = createRoute({
  ...page('/segments/$key'),
  component: lazyRouteComponent(() => import('../../features/segments/segment-page.tsx'), 'SegmentPage'),
});

const changes = createRoute({
  ...page('/changes'),
  staticData: { section: 'Release', label: 'Change requests', icon: IconGitPullRequest },
  validateSearch: (search) => pick(search, 'status', 'flag', 'change'),
  component: lazyRouteComponent(() => import('../../features/changes/changes-page.tsx'), 'ChangesPage'),
});

const timeline = createRoute({
  ...page('/timeline'),
  staticData: { section: 'Release', label: 'Timeline', icon: IconHistory },
  validateSearch: (search) => pick(search, 'kind', 'service', 'flag'),
  component: lazyRouteComponent(() => import('../../features/timeline/timeline-page.tsx'), 'TimelinePage'),
});

/** The pages of “Release”, in the order of the navigation. */
export const release = [
  flags,
  newFlag,
  flag,
  releases,
  experiments,
  newExperiment,
  experiment,
  editExperiment,
  flagMetrics,
  newFlagMetric,
  flagMetric,
  segments,
  newSegment,
  segment,
  changes,
  timeline,
] as const;
