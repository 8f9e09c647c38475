import { Worker } from 'node:worker_threads';
import { messageOf } from '../platform/message-of.ts';
import { workerEntry } from '../platform/worker-entry.ts';
import { openTarget } from './open-place.ts';
import { BackupBusy } from './rows/lock-store.ts';
import type { BackupDone, Progress } from './write.ts';
import type { FromWriteWorker, ToWriteWorker, WriteWork } from './write-worker.ts';

/** In which a thread removes what it has written; one that hangs is ended then. */
const END_MS = 25_000;

/**
 * Writes a backup in a thread of low priority.
 * @throws the signal's reason when it is aborted; then nothing is left of the backup. BackupBusy, as `writeRows` does
 */
export async function writeBackupInThread(
  work: WriteWork,
  { onProgress, signal }: { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal },
): Promise<BackupDone> {
  signal.throwIfAborted();
  const worker = new Worker(workerEntry('./write-worker', import.meta.url), { workerData: work });
  let hanging: NodeJS.Timeout | undefined;
  /** Of a failure that it reports, the thread has removed everything. */
  let hasReported = false;
  let onAbort = () => {};
  try {
    return await new Promise<BackupDone>((resolve, reject) => {
      worker.on('message', (message: FromWriteWorker) => {
        hasReported = !('progress' in message);
        if ('progress' in message) onProgress(message.progress);
        else if ('done' in message) resolve(message.done);
        else reject(message.isBusy ? new BackupBusy(message.failed) : new Error(message.failed));
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('the thread that writes the backup has ended')));
      onAbort = () => {
        worker.postMessage({ abort: messageOf(signal.reason) } satisfies ToWriteWorker);
        hanging = setTimeout(() => reject(signal.reason), END_MS);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(hanging);
    await worker.terminate();
    if (!hasReported) await discardHere(work);
  }
}

/** What a thread that hung or died could not remove. */
async function discardHere({ place, what }: WriteWork): Promise<void> {
  const target = openTarget(place, new AbortController().signal);
  await target.discard(what.plan.name).catch(() => {
    // The next backup removes it.
  });
  target.close();
}
