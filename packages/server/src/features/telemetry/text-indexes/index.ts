import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../../../platform/clickhouse/index.ts';
import type { JobKind, JobRun } from '../../../platform/jobs/index.ts';
import type { Feature } from '../../feature.ts';
import { duePartitions, type Partition, partsWithIndexes, textIndexes } from './rules.ts';
import {
  giveUp,
  listBuildings,
  listBuilt,
  listPartitions,
  listParts,
  orderIndexes,
  recordBuilt,
  type Store,
} from './store.ts';

/** Text indexes of days that are over. It knows the parts of one server only, so a cluster has none. */
export const textIndexesFeature = {
  name: 'telemetry/text-indexes',
  jobs: ({ clickhouse, cluster }: { clickhouse: Store; cluster: Cluster | undefined }) =>
    cluster === undefined ? [textIndexJob(clickhouse)] : [],
} satisfies Feature;

const POLL_MS = 500;

/**
 * Builds the text indexes of days that are over, one partition after the other, on one replica at a time. Inserts and
 * merges leave them out, since there they cost more than all the rest (`docs/decisions/0041`); a part without them is
 * scanned, rightly.
 */
export function textIndexJob(store: Store): JobKind {
  return {
    kind: 'text_indexes.build',
    everyMs: 10 * 60_000,
    async run(run) {
      // What a run ordered that was cut short.
      for (const table of Object.keys(textIndexes)) await untilDone(store, table, run);
      for (const partition of duePartitions(await listPartitions(store), await listBuilt(store), run.now())) {
        await build(store, partition, run);
      }
      await run.finish();
    },
  };
}

async function build(store: Store, partition: Partition, run: JobRun): Promise<void> {
  const before = await listParts(store, partition);
  // Retention may have taken it meanwhile.
  if (before.length === 0) return;
  await orderIndexes(store, partition);
  await untilDone(store, partition.table, run);
  const parts = partsWithIndexes(before, await listParts(store, partition));
  await recordBuilt(store, { ...partition, parts, at: run.now() });
}

async function untilDone(store: Store, table: string, run: JobRun): Promise<void> {
  for (;;) {
    run.signal.throwIfAborted();
    const buildings = await listBuildings(store, table);
    const failed = buildings.find(({ failure }) => failure !== '');
    if (failed !== undefined) {
      await giveUp(store, table, failed);
      throw new Error(`the text indexes of ${table} could not be built: ${failed.failure}`);
    }
    if (buildings.length === 0) return;
    await delay(POLL_MS, undefined, { signal: run.signal });
  }
}
