import { workspacesRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { isId } from '../../../platform/ids.ts';
import type { Feature } from '../../feature.ts';
import type { WorkspacesDependencies } from './service.ts';
import * as service from './service.ts';

export { createProjectWithDefaults, createWorkspaceWithDefaults, slugOf } from './create.ts';
export { lockWorkspace } from './store.ts';

export const workspacesFeature = {
  name: 'identity/workspaces',
  routes: handlers,
} satisfies Feature;

function handlers(dependencies: WorkspacesDependencies): MountedRoute[] {
  return implement(workspacesRoutes, {
    async listWorkspaces({ caller, query: { limit, cursor } }) {
      const rows = await service.list(dependencies, caller, decodeCursor(cursor, isId), limit);
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.id);
      return page(items, nextCursor);
    },
    async createWorkspace({ caller, body, origin }) {
      return service.create(dependencies, caller.user.id, body, origin);
    },
    async updateWorkspace({ workspace, caller, body, origin }) {
      return service.update(dependencies, workspace, caller, body, origin);
    },
    async removeWorkspace({ workspace, query, origin }) {
      await service.remove(dependencies, workspace, query.confirm, origin);
      return undefined;
    },
  });
}
