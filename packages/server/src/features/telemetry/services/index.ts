import { servicesRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import type { Feature } from '../../feature.ts';
import type { ServicesDependencies } from './service.ts';
import * as service from './service.ts';

/** The services seen in telemetry, and what people wrote about them. */
export const servicesFeature = {
  name: 'telemetry/services',
  routes: handlers,
} satisfies Feature;

function handlers(dependencies: ServicesDependencies): MountedRoute[] {
  return implement(servicesRoutes, {
    async listServices({ workspace, caller, query, signal }) {
      const { search, project, environment, limit, cursor } = query;
      const after = decodeCursor(cursor, (name) => name !== '' && !name.includes('\0'));
      const rows = await service.list(
        dependencies,
        workspace,
        caller,
        { search, project, environment },
        { after, limit },
        signal,
      );
      const { items, nextCursor } = cutPage(rows, limit, (row) => row.name);
      return page(items, nextCursor);
    },
    async getService({ workspace, caller, params, signal }) {
      return service.get(dependencies, workspace, caller, params.name, signal);
    },
    async updateService({ workspace, caller, params, body, origin, signal }) {
      return service.update(dependencies, workspace, caller, params.name, body, origin, signal);
    },
  });
}
