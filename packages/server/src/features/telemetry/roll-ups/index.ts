import type { Config } from '../../../config.ts';
import type { Cluster } from '../../../platform/clickhouse/index.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Feature } from '../../feature.ts';
import { ofHeldSeries } from '../ingest/index.ts';
import { hoursToLookAt, portionsOf } from './rules.ts';
import { listDue, markHours, type Store, writeSlots } from './store.ts';

/** Roll-ups of metrics by five minutes and by hour, from which long windows are answered: `docs/decisions/0116`. */
export const rollUpsFeature = {
  name: 'telemetry/roll-ups',
  // After the points that they are made of. What is left of an hour is rolled up again.
  tenantTables: [
    { name: 'metric_rollup_hours', isBefore: () => 'hour < toDateTime({before:UInt32})' },
    { name: 'metric_rollups', isBefore: () => 'time < toDateTime64({before:UInt32}, 3)', holds: ofHeldSeries },
  ],
  // A replica of a cluster may know of roll-ups before it has all of them.
  jobs: ({ clickhouse, cluster, config, rollUpLag }: RollUpParts) =>
    cluster === undefined && config.rollUps.enabled ? [rollUpJob(clickhouse, rollUpLag)] : [],
} satisfies Feature<RollUpParts>;

interface RollUpParts {
  readonly clickhouse: Store;
  readonly cluster: Cluster | undefined;
  readonly config: Pick<Config, 'rollUps'>;
  readonly rollUpLag: RollUpLag;
}

interface Lag {
  readonly hours: number;
  readonly seconds: number;
}

/** How much the last run of this server left undone. */
export interface RollUpLag {
  note(lag: Lag): void;
  read(): Lag;
}

export function createRollUpLag(): RollUpLag {
  let last: Lag = { hours: 0, seconds: 0 };
  return {
    note: (lag) => {
      last = lag;
    },
    read: () => last,
  };
}

const everyMs = 300_000;
/** Time budget of one run; the next run does the rest. */
const budgetMs = 60_000;
const maxHoursPerRun = 20_000;

/**
 * Rolls up hours that are over, and again those that got points since, the newest first; on one replica at a time. A run that is cut
 * short leaves an hour without its mark: points are read for it, and the next run rolls it up again.
 */
export function rollUpJob(store: Store, lag: RollUpLag): JobKind {
  return {
    kind: 'metrics.roll_up',
    everyMs,
    async run(run) {
      const beganMs = run.now();
      const now = Math.floor(beganMs / 1000);
      const due = await listDue(store, hoursToLookAt(now, everyMs / 1000), now, maxHoursPerRun);
      let done = 0;
      for (const portion of portionsOf(due)) {
        run.signal.throwIfAborted();
        if (run.now() - beganMs > budgetMs) break;
        await writeSlots(store, portion, run.epoch, run.signal);
        await markHours(store, portion, run.epoch, now);
        done += portion.metrics.length;
      }
      const oldest = due.length > done ? due.at(-1) : undefined;
      lag.note({ hours: due.length - done, seconds: oldest === undefined ? 0 : now - oldest.hour - 3600 });
      await run.finish();
    },
  };
}
