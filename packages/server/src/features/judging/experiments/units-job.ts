import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { TelemetryDeriver } from '../../../platform/telemetry-writer.ts';
import { pinUnits } from '../metrics/index.ts';
import { listToPin, markPinned } from './store.ts';

const dayMs = 86_400_000;
/** Exposures are kept for a day at least, so that their units are kept in time even after a long pause of all servers. */
const everyMs = 300_000;
const batchSize = 50;
/** Time budget of one run; the next run does the rest. */
const budgetMs = 60_000;

export interface UnitsDependencies {
  readonly db: Database;
  readonly clickhouse: TelemetryDeriver;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Keeps the units of running experiments beside the exposures, which expire with the logs. Exposures of yesterday and today are read each time,
 * and all of them once a day, for those that were reported late.
 */
export function unitsJob({ db, clickhouse, log }: UnitsDependencies): JobKind {
  return {
    kind: 'experiments.units',
    everyMs,
    async run(run) {
      const began = run.now();
      const due = await listToPin(db, { before: new Date(began - everyMs / 2), limit: batchSize });
      for (const { row, place } of due) {
        if (run.now() - began > budgetMs) break;
        const { started_at: started, stopped_at: stopped, pinned_to: pinned } = row;
        if (started === null) continue;
        const now = run.now();
        const exposed = {
          scope: { ...place, environment: row.environment },
          flag: row.flag,
          arms: row.definition.variants.map(({ variant }) => variant),
          fromMs: started.getTime(),
          toMs: stopped?.getTime() ?? now,
          pinned: row.id,
        };
        const isNewDay = pinned === null || Math.floor(pinned.getTime() / dayMs) !== Math.floor(now / dayMs);
        try {
          await pinUnits(clickhouse, exposed, isNewDay ? exposed.fromMs : now - dayMs, run.signal);
          await markPinned(db, row.id, new Date(now));
        } catch (error) {
          run.signal.throwIfAborted();
          log.warn(
            { err: error, experiment: row.id },
            'the units of an experiment could not be kept; they are tried again',
          );
        }
      }
      await run.finish();
    },
  };
}
