import { batchesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Feature } from '../../feature.ts';
import type { Changes } from '../flags/index.ts';
import { createBatches } from './service.ts';
import type { BatchSettings } from './settings.ts';

/** Several writes of flags and segments, all or nothing. */
export const batchesFeature = { name: 'flags/batches', routes: handlers } satisfies Feature;

interface BatchesDependencies {
  readonly changes: Changes;
  readonly config: { readonly flagBatches: BatchSettings };
}

function handlers({ changes, config }: BatchesDependencies): MountedRoute[] {
  const write = createBatches({ changes, maxWrites: config.flagBatches.maxWrites });
  return implement(batchesRoutes, {
    async writeBatch({ workspace, project, caller, body, origin }) {
      const { writes, comment, bypass_approval } = body;
      return write({ place: { workspace, project }, caller, origin, writes, comment, bypassApproval: bypass_approval });
    },
  });
}
