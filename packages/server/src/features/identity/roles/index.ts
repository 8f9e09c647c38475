import { rolesRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import * as service from './service.ts';

export const rolesFeature = {
  name: 'identity/roles',
  routes: handlers,
} satisfies Feature;

function handlers(dependencies: FeatureDependencies): MountedRoute[] {
  return implement(rolesRoutes, {
    async listRoles({ workspace, query: { limit, cursor } }) {
      const rows = await service.list(dependencies, workspace, decodeCursor(cursor, isId), limit);
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
      return page(items, nextCursor);
    },
    async createRole({ workspace, caller, body, origin }) {
      return service.create(dependencies, workspace, caller, body, origin);
    },
    async getRole({ workspace, params }) {
      return service.get(dependencies, workspace, params.id);
    },
    async updateRole({ workspace, caller, params, body, origin }) {
      return service.update(dependencies, workspace, caller, params.id, body, origin);
    },
    async removeRole({ workspace, params, origin }) {
      await service.remove(dependencies, workspace, params.id, origin);
      return undefined;
    },
  });
}
