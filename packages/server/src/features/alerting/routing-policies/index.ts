import { routingPoliciesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { pageOf } from '../../../http/cursor.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { createRoutingPolicyService } from './service.ts';

export { groupFired, regroup } from './grouping.ts';
export { createTrees, ensureRoot, listPoliciesOfChannel, readRevision, type Trees } from './store.ts';
export { isMuted } from './time-interval-rules.ts';
export { defaultSettings, type Settings } from './tree-rules.ts';

/** Which alerts go to which channels, together with which others, and when. */
export const routingPoliciesFeature = {
  name: 'alerting/routing-policies',
  routes: handlers,
} satisfies Feature;

function handlers(dependencies: Pick<FeatureDependencies, 'db' | 'clock'>): MountedRoute[] {
  const service = createRoutingPolicyService(dependencies);
  return implement(routingPoliciesRoutes, {
    async listRoutingPolicies({ workspace, query }) {
      return pageOf(await service.list(workspace), query, ({ id }) => id);
    },
    async createRoutingPolicy({ workspace, caller, body, origin }) {
      return service.create(workspace, caller, body, origin);
    },
    async matchRoutingPolicies({ workspace, body }) {
      return { policies: await service.match(workspace, body.labels) };
    },
    async getRoutingPolicy({ workspace, params }) {
      return service.get(workspace, params.id);
    },
    async updateRoutingPolicy({ workspace, params, body, origin }) {
      return service.update(workspace, params.id, body, origin);
    },
    async removeRoutingPolicy({ workspace, params, origin }) {
      await service.remove(workspace, params.id, origin);
      return undefined;
    },
  });
}
