import { IconTargetArrow } from '@tabler/icons-react';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sloQuery, slosQuery } from '../../features/slos/queries.ts';
import { prefetch } from '../query-client.ts';
import { pick } from '../search.ts';
import { page } from './scope.tsx';

const slosPage = createRoute({
  ...page('/slos'),
  staticData: { section: 'Alerting', label: 'SLOs', icon: IconTargetArrow },
  validateSearch: (search) => pick(search, 'q'),
  loader: ({ params: { ws, project } }) => prefetch(slosQuery(ws, project)),
  component: lazyRouteComponent(() => import('../../features/slos/slos-page.tsx'), 'SlosPage'),
});

const slo = createRoute({
  ...page('/slos/$id'),
  validateSearch: (search) => pick(search, 'since'),
  loader: ({ params: { ws, id } }) => prefetch(sloQuery(ws, id)),
  component: lazyRouteComponent(() => import('../../features/slos/slo-page.tsx'), 'SloPage'),
});

const newSlo = createRoute({
  ...page('/slos/new'),
  validateSearch: (search) => pick(search, 'name', 'source', 'good', 'total', 'query', 'lang'),
  component: lazyRouteComponent(() => import('../../features/slos/new-slo-page.tsx'), 'NewSloPage'),
});

const editSlo = createRoute({
  ...page('/slos/$id/edit'),
  loader: ({ params: { ws, id } }) => prefetch(sloQuery(ws, id)),
  component: lazyRouteComponent(() => import('../../features/slos/edit-slo-page.tsx'), 'EditSloPage'),
});

/** The pages of SLOs, within the section “Alerting”. */
export const slos = [slosPage, newSlo, slo, editSlo] as const;
