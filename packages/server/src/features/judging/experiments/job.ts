import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { lateMs, type Results } from './results.ts';
import { listDue } from './store.ts';

/** Results that are older are computed again, so that each day has its numbers although nobody looks. */
const staleMs = 3_600_000;
const batchSize = 8;
/** Time budget of one run; the next run does the rest. */
const budgetMs = 20_000;

/** Results that could not be computed wait for so long, so that they do not take the turn of others. */
const failedMs = 600_000;

/** Computes the results of running experiments every hour, and freezes those of stopped ones. */
export function resultsJob({
  experimentResults,
  db,
  log,
}: {
  readonly experimentResults: Pick<Results, 'refresh'>;
  readonly db: Database;
  readonly log: Pick<Log, 'warn'>;
}): JobKind {
  /** When experiments failed, by id: at most those of ten minutes' batches. */
  const failed = new Map<string, number>();
  return {
    kind: 'experiments.results',
    everyMs: 60_000,
    async run(run) {
      const began = run.now();
      for (const [id, at] of failed) if (began - at >= failedMs) failed.delete(id);
      const due = await listDue(db, {
        before: new Date(began - staleMs),
        stoppedBefore: new Date(began - lateMs),
        except: [...failed.keys()],
        limit: batchSize,
      });
      for (const { row, place } of due) {
        if (run.now() - began > budgetMs) break;
        try {
          await experimentResults.refresh(row, place, run.signal);
        } catch (error) {
          run.signal.throwIfAborted();
          failed.set(row.id, began);
          log.warn({ err: error, experiment: row.id }, 'the results of an experiment could not be computed');
        }
      }
      await run.finish();
    },
  };
}
