import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log.ts';
import { createResults, lateMs, type ResultDependencies } from './results.ts';
import { listDue } from './store.ts';

/** Results that are older are computed again, so that each day has its numbers although nobody looks. */
const staleMs = 3_600_000;
const batchSize = 8;
/** Time budget of one run; the next run does the rest. */
const budgetMs = 20_000;

/** Computes the results of running experiments every hour, and freezes those of stopped ones. */
export function resultsJob({ log, ...dependencies }: ResultDependencies & { readonly log: Log }): JobKind {
  const results = createResults(dependencies);
  return {
    kind: 'experiments.results',
    everyMs: 60_000,
    async run(run) {
      const began = run.now();
      const due = { before: new Date(began - staleMs), stoppedBefore: new Date(began - lateMs), limit: batchSize };
      for (const { row, place } of await listDue(dependencies.db, due)) {
        if (run.now() - began > budgetMs) break;
        try {
          await results.compute(row, place, 'background', run.signal);
        } catch (error) {
          run.signal.throwIfAborted();
          log.warn({ err: error, experiment: row.id }, 'the results of an experiment could not be computed');
        }
      }
      await run.finish();
    },
  };
}
