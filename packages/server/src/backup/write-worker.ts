import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../platform/message-of.ts';
import { lowerThreadPriority } from '../platform/thread-priority.ts';
import { openTarget } from './open-place.ts';
import type { BackupPlace } from './place.ts';
import { type BackupDone, type BackupPlan, type Progress, writeBackup } from './write.ts';

export interface WriteWork {
  readonly place: BackupPlace;
  readonly plan: BackupPlan;
}

/** Why the backup is to end. */
export interface ToWriteWorker {
  readonly abort: string;
}

export type FromWriteWorker =
  | { readonly progress: Progress }
  | { readonly done: BackupDone }
  | { readonly failed: string };

/** A copy has time; queries and evaluations do not. */
const BELOW_SERVER = 10;
/** Between two reports. */
const REPORT_MS = 200;

lowerThreadPriority(BELOW_SERVER);
const { place, plan }: WriteWork = workerData;
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
try {
  post({ done: await writeBackup(target, plan, { onProgress, signal: aborted.signal }) });
} catch (error) {
  post({ failed: messageOf(error) });
} finally {
  target.close();
}
