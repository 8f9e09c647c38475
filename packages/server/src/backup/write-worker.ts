import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../platform/message-of.ts';
import { lowerThreadPriority } from '../platform/thread-priority.ts';
import { type BackupDone, type BackupPlan, type Progress, writeBackup } from './write.ts';

export type FromWriteWorker =
  | { readonly progress: Progress }
  | { readonly done: BackupDone }
  | { readonly failed: string };

/** A copy has time; queries and evaluations do not. */
const BELOW_SERVER = 10;
/** Between two reports. */
const REPORT_MS = 200;

lowerThreadPriority(BELOW_SERVER);
const plan: BackupPlan = workerData;
const post = (message: FromWriteWorker) => parentPort?.postMessage(message);
let reported = 0;
try {
  const done = await writeBackup(plan, (progress) => {
    if (performance.now() - reported < REPORT_MS) return;
    reported = performance.now();
    post({ progress });
  });
  post({ done });
} catch (error) {
  post({ failed: messageOf(error) });
}
