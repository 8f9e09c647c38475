import { routingPoliciesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { pageOf } from '../../../http/cursor.ts';
import type { Feature } from '../../feature.ts';
import { create, get, list, match, type Parts, remove, update } from './service.ts';

export { groupFired, regroup } from './grouping.ts';
export { createTrees, ensureRoot, listPoliciesOfChannel, readRevision, type Trees } from './store.ts';
export { isMuted } from './time-interval-rules.ts';
export { defaultSettings, type Settings } from './tree-rules.ts';

/** Which alerts go to which channels, together with which others, and when. */
export const routingPoliciesFeature = {
  name: 'alerting/routing-policies',
  routes: handlers,
} satisfies Feature;

function handlers(parts: Parts): MountedRoute[] {
  return implement(routingPoliciesRoutes, {
    listRoutingPolicies: async ({ workspace, query }) => pageOf(await list(parts, workspace), query, ({ id }) => id),
    createRoutingPolicy: (context) => create(parts, context, context.body),
    matchRoutingPolicies: async ({ workspace, body }) => ({ policies: await match(parts, workspace, body.labels) }),
    getRoutingPolicy: ({ workspace, params }) => get(parts, workspace, params.id),
    updateRoutingPolicy: (context) => update(parts, context, context.params.id, context.body),
    removeRoutingPolicy: (context) => remove(parts, context, context.params.id),
  });
}
