import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { sessionIdleMs } from '../access/index.ts';
import { deleteExpired } from './store.ts';

/** Removes expired sessions, counted attempts and unfinished sign-ins. Returns the number of rows. */
export function removeExpired(db: Executor, now: number): Promise<number> {
  return deleteExpired(db, new Date(now), {
    attemptsBefore: new Date(now - 86_400_000),
    idleBefore: new Date(now - sessionIdleMs),
  });
}

export const expiredJob: JobKind = {
  kind: 'expired.remove',
  everyMs: 3_600_000,
  run: (run) =>
    run.finish(async (trx) => {
      await removeExpired(trx, run.now());
    }),
};
