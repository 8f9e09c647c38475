import { batchesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Feature } from '../../feature.ts';
import type { Changes } from '../flags/index.ts';
import { createBatches } from './service.ts';

/** Several writes of flags and segments, all or nothing. */
export const batchesFeature = { name: 'flags/batches', routes: handlers } satisfies Feature;

function handlers(dependencies: { readonly changes: Changes }): MountedRoute[] {
  const write = createBatches(dependencies);
  return implement(batchesRoutes, {
    async writeBatch({ workspace, project, caller, body, origin }) {
      const { writes, comment, bypass_approval } = body;
      return write({ place: { workspace, project }, caller, origin, writes, comment, bypassApproval: bypass_approval });
    },
  });
}
