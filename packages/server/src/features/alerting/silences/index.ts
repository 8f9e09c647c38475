import { silencesRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { isId } from '../../../platform/ids.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { createSilenceService } from './service.ts';
import { pruneSilences } from './store.ts';

export { listActiveSilences } from './store.ts';

/** How long a silence that is over stays listed. */
const keptMs = 90 * 86_400_000;

/** Alerts that nobody is to be notified of for a while. */
export const silencesFeature = {
  name: 'alerting/silences',
  routes: handlers,
  jobs: ({ db, clock }: Pick<FeatureDependencies, 'db' | 'clock'>) => [pruneJob(db, clock)],
} satisfies Feature;

function handlers(dependencies: Pick<FeatureDependencies, 'db' | 'clock'>): MountedRoute[] {
  const service = createSilenceService(dependencies);
  return implement(silencesRoutes, {
    async listSilences({ workspace, query: { status, limit, cursor } }) {
      const rows = await service.list(workspace, status, { after: decodeCursor(cursor, isId), limit });
      const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
      return page(items, nextCursor);
    },
    async createSilence({ workspace, caller, body, origin }) {
      return service.create(workspace, caller, body, origin);
    },
    async previewSilence({ workspace, body }) {
      return service.preview(workspace, body.matchers);
    },
    async removeSilence({ workspace, params, origin }) {
      await service.expire(workspace, params.id, origin);
      return undefined;
    },
  });
}

function pruneJob(db: Database, clock: Clock): JobKind {
  return {
    kind: 'silences.prune',
    everyMs: 3_600_000,
    async run(run) {
      await pruneSilences(db, dateOf(clock, -keptMs));
      await run.finish();
    },
  };
}
