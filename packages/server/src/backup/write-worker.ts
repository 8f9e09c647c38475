import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../platform/message-of.ts';
import { lowerThreadPriority } from '../platform/thread-priority.ts';
import { type Addresses, openSide } from '../store-copy/sides.ts';
import { openTarget } from './open-place.ts';
import type { BackupPlace } from './place.ts';
import { BackupBusy } from './rows/lock-store.ts';
import { type RowsPlan, writeRows } from './rows/write-rows.ts';
import { type BackupDone, type BackupPlan, type Progress, writeBackup } from './write.ts';

export interface WriteWork {
  readonly place: BackupPlace;
  readonly what: WrittenFiles | WrittenRows;
}

export interface WrittenFiles {
  readonly kind: 'files';
  readonly plan: BackupPlan;
}

export interface WrittenRows {
  readonly kind: 'rows';
  readonly plan: RowsPlan;
  readonly stores: Addresses;
}

/** Why the backup is to end. */
export interface ToWriteWorker {
  readonly abort: string;
}

export type FromWriteWorker =
  | { readonly progress: Progress }
  | { readonly done: BackupDone }
  | { readonly failed: string; readonly isBusy: boolean };

/** A copy has time; queries and evaluations do not. */
const BELOW_SERVER = 10;
/** Between two reports. */
const REPORT_MS = 200;

lowerThreadPriority(BELOW_SERVER);
const { place, what }: WriteWork = workerData;
const post = (message: FromWriteWorker) => parentPort?.postMessage(message);
const aborted = new AbortController();
parentPort?.on('message', ({ abort }: ToWriteWorker) => aborted.abort(new Error(abort)));
// Waiting for it does not keep the thread.
parentPort?.unref();
const target = openTarget(place, aborted.signal);
let reported = 0;
const onProgress = (progress: Progress) => {
  if (performance.now() - reported < REPORT_MS) return;
  reported = performance.now();
  post({ progress });
};

async function write(): Promise<BackupDone> {
  const how = { onProgress, signal: aborted.signal };
  if (what.kind === 'files') return writeBackup(target, what.plan, how);
  const side = openSide(what.stores);
  return writeRows(target, what.plan, side, { ...how, now: () => Date.now() }).finally(() => side.close());
}

try {
  post({ done: await write() });
} catch (error) {
  post({ failed: messageOf(error), isBusy: error instanceof BackupBusy });
} finally {
  target.close();
}
