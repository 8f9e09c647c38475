import { type Clock, dateOf } from '../../../../platform/clock.ts';
import type { JobKind } from '../../../../platform/jobs/index.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { deleteExpired } from './store.ts';

/** Removes snapshots that have expired. They cannot be read from then on, also before this runs. */
export function snapshotExpiryJob(db: Database, clock: Clock): JobKind {
  return {
    kind: 'dashboard_snapshots.expire',
    everyMs: 10 * 60_000,
    async run(run) {
      await deleteExpired(db, dateOf(clock));
      await run.finish();
    },
  };
}
