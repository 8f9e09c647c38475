import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { type BackupDone, type BackupPlan, type Progress, partialPath } from './write.ts';
import type { FromWriteWorker } from './write-worker.ts';

/** Threads do not load TypeScript: when running from source, the build is used. */
const workerEntry = new URL(
  import.meta.url.endsWith('.ts') ? './write-worker.ts' : './write-worker.js',
  import.meta.url,
).href.replace(/\/src\/(.*)\.ts$/, '/dist/$1.js');

/**
 * Writes a backup in a thread of low priority.
 * @throws the signal's reason when it is aborted; then nothing is left of the backup
 */
export async function writeBackupInThread(
  plan: BackupPlan,
  { onProgress, signal }: { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal },
): Promise<BackupDone> {
  signal.throwIfAborted();
  const worker = new Worker(new URL(workerEntry), { workerData: plan });
  try {
    return await new Promise<BackupDone>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      worker.on('message', (message: FromWriteWorker) => {
        if ('progress' in message) onProgress(message.progress);
        else if ('done' in message) resolve(message.done);
        else reject(new Error(message.failed));
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('the thread that writes the backup has ended')));
    });
  } finally {
    await worker.terminate();
    if (signal.aborted) await rm(partialPath(plan), { recursive: true, force: true });
  }
}
