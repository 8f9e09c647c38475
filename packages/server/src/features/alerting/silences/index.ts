import { silencesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { pageById } from '../../../http/cursor.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { create, expire, presentAll, preview } from './service.ts';
import { hasStatus, pruneSilences, silences } from './store.ts';

export { listActiveSilences } from './store.ts';

/** How long a silence that is over stays listed. */
const keptMs = 90 * 86_400_000;

/** Alerts that nobody is to be notified of for a while. */
export const silencesFeature = {
  name: 'alerting/silences',
  routes: handlers,
  jobs: ({ db, clock }: Pick<FeatureDependencies, 'db' | 'clock'>) => [pruneJob(db, clock)],
} satisfies Feature;

function handlers(parts: Pick<FeatureDependencies, 'db' | 'clock'>): MountedRoute[] {
  const { db, clock } = parts;
  return implement(silencesRoutes, {
    listSilences: ({ workspace, query }) =>
      pageById(query, async (page) => {
        const rows = await silences.list(db, workspace.id, page, hasStatus(query.status, dateOf(clock)));
        return presentAll(parts, workspace, rows);
      }),
    createSilence: (context) => create(parts, context, context.body),
    previewSilence: ({ workspace, body }) => preview(parts, workspace, body.matchers),
    removeSilence: (context) => expire(parts, context, context.params.id),
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
