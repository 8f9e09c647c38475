import type { JobKind, JobRun } from '../../../platform/jobs/index.ts';
import { appendOutbox } from '../../../platform/outbox/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { StoredTo } from '../../../platform/replicas/index.ts';
import type { TenantTable } from '../../feature.ts';
import { deleteRemoval, findRemoval, type RemovalRow, updateRemoval } from './removals-store.ts';
import { isComplete, nextSweep, type TelemetryPlace, waitBeforeSweep } from './telemetry-rules.ts';
import type { DeleteTelemetry } from './telemetry-store.ts';

export const telemetryRemovalKind = 'telemetry.remove';
/** Before the id of the removed place. */
export const removalJobPrefix = `${telemetryRemovalKind}:`;

/** Outbox topic; payload: the number of the workspace in which the telemetry of a place was removed. */
export const telemetryRemoved = 'telemetry.removed';

/** How often to look whether the store has rewritten the parts of a table. */
const lookMs = 1_000;
/** A run ends after this, so that it takes no slot from other jobs for long. */
const budgetMs = 5_000;

/**
 * Deletes the telemetry of a removed place, in short runs: the store rewrites parts between them. A removal that is slow or fails waits
 * by itself.
 */
export function telemetryRemovalJob(options: {
  readonly db: Database;
  readonly tables: readonly TenantTable[];
  readonly deleteTelemetry: DeleteTelemetry;
  readonly storedTo: () => Promise<StoredTo>;
}): JobKind {
  const { db, tables, deleteTelemetry, storedTo } = options;

  async function sweep(run: JobRun, removal: RemovalRow, sweepAt: Date): Promise<void> {
    const { id } = removal;
    const began = run.now();
    const place = placeOf(removal);
    let at = removal.sweep_at === null ? 0 : removal.next_table;
    for (let table = tables[at]; table !== undefined; table = tables[++at]) {
      run.signal.throwIfAborted();
      const left = await deleteTelemetry(table, place, run.signal);
      if (left.state === 'failed') throw new Error(`${table.name}: ${left.reason}`);
      const parts = left.state === 'deleting' ? left.parts : null;
      if (parts !== null || run.now() - began > budgetMs) {
        const next = parts === null ? at + 1 : at;
        await run.finish((trx) => updateRemoval(trx, id, { sweep_at: sweepAt, next_table: next, parts_left: parts }), {
          again: new Date(run.now() + (parts === null ? 0 : lookMs)),
        });
        return;
      }
    }
    const next = nextSweep(removal.removed_at, sweepAt);
    if (next === undefined) {
      await run.finish((trx) => deleteRemoval(trx, id));
      return;
    }
    // Nothing of an erasure is hidden, so what servers remember may hold rows that are only now deleted.
    const tell = removal.attribute === null ? undefined : { workspace: removal.workspace };
    const finished_at = removal.finished_at ?? (isComplete(removal.removed_at, sweepAt) ? new Date(run.now()) : null);
    const ended = { sweep_at: null, next_table: 0, parts_left: null, swept: true, finished_at };
    await run.finish(
      async (trx) => {
        await updateRemoval(trx, id, ended);
        if (tell !== undefined) await appendOutbox(trx, { topic: telemetryRemoved, key: id, payload: tell });
      },
      { again: next },
    );
  }

  return {
    kind: telemetryRemovalKind,
    async run(run) {
      const removal = await findRemoval(db, run.name.slice(removalJobPrefix.length));
      if (removal === undefined) return;
      // What a pass must not miss has to be stored when it begins.
      const wait =
        removal.sweep_at === null ? waitBeforeSweep(removal.removed_at, run.now(), await storedTo()) : undefined;
      if (wait !== undefined) await run.finish(undefined, { again: wait });
      else await sweep(run, removal, removal.sweep_at ?? new Date(run.now()));
    },
  };
}

function placeOf(row: RemovalRow): TelemetryPlace {
  const { id, workspace, project, environment, attribute, value, removed_at } = row;
  return {
    removal: id,
    workspace,
    project: project ?? undefined,
    environment: environment ?? undefined,
    before: environment === null ? undefined : removed_at,
    holds: attribute === null || value === null ? undefined : { attribute, value },
  };
}
