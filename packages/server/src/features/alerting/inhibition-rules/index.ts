import { inhibitionRulesRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { createInhibitionRuleService } from './service.ts';

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

function handlers(dependencies: Pick<FeatureDependencies, 'db' | 'clock'>): MountedRoute[] {
  const service = createInhibitionRuleService(dependencies);
  return implement(inhibitionRulesRoutes, {
    async listInhibitionRules({ workspace, query: { limit, cursor } }) {
      const rows = await service.list(workspace, { after: decodeCursor(cursor, isId), limit });
      const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
      return page(items, nextCursor);
    },
    async createInhibitionRule({ workspace, caller, body, origin }) {
      return service.create(workspace, caller, body, origin);
    },
    async getInhibitionRule({ workspace, params }) {
      return service.get(workspace, params.id);
    },
    async updateInhibitionRule({ workspace, params, body, origin }) {
      return service.update(workspace, params.id, body, origin);
    },
    async removeInhibitionRule({ workspace, params, origin }) {
      await service.remove(workspace, params.id, origin);
      return undefined;
    },
  });
}
