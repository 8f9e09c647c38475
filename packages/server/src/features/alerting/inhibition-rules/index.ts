import { inhibitionRulesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { pageById } from '../../../http/cursor.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { findResource, presentVersion } from '../../identity/resources/index.ts';
import { create, remove, resource, update } from './service.ts';
import { type InhibitionRuleRow, inhibitionRules } from './store.ts';

export {
  compileInhibitionRule,
  createInhibitor,
  type FiringAlert,
  type Inhibitor,
} from './inhibit-rules.ts';
export { listInhibitionRules } from './store.ts';

/** Alerts that hold back the notifications of others. */
export const inhibitionRulesFeature = {
  name: 'alerting/inhibition-rules',
  routes: handlers,
} satisfies Feature;

function handlers(parts: Pick<FeatureDependencies, 'db' | 'clock'>): MountedRoute[] {
  const { db } = parts;
  return implement(inhibitionRulesRoutes, {
    listInhibitionRules: ({ workspace, query }) =>
      pageById(query, async (page) => (await inhibitionRules.list(db, workspace.id, page)).map(present)),
    createInhibitionRule: async (context) => present(await create(parts, context, context.body)),
    getInhibitionRule: async ({ workspace, params }) =>
      present(await findResource(db, resource, workspace.id, params.id)),
    updateInhibitionRule: async (context) => present(await update(parts, context, context.params.id, context.body)),
    removeInhibitionRule: (context) => remove(parts, context, context.params.id),
  });
}

function present(row: InhibitionRuleRow) {
  return { id: row.id, ...resource.shown(row), ...presentVersion(row) };
}
