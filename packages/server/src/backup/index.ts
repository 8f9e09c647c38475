/**
 * Backups of a whole server with embedded stores. A snapshot (`snapshot.ts`) freezes the tables, the log and the database at one
 * moment, by hard links; then a thread of low priority copies it to a target (`write.ts`), a folder or a bucket (`target.ts`), and its
 * manifest last. `restore.ts` checks every file before it moves any into a data directory. docs/decisions/0143 explains why.
 */

import { askOperator, NoServer } from '../platform/operator/index.ts';
import { placeOf, type S3Settings } from './place.ts';
import { backUpStopped } from './stopped.ts';
import type { BackupDone, Progress } from './write.ts';

export type { Manifest } from './manifest.ts';
export { openSource } from './open-place.ts';
export { absolutePlace, placeOf } from './place.ts';
export { restoreBackup } from './restore.ts';
export { bytesText } from './rules.ts';
export type { BackupSource } from './target.ts';
export { verifyBackup } from './verify.ts';

/**
 * Has the server that runs on a data directory write a backup; without one, copies the directory.
 * @param to an absolute directory or a bucket, which a running server opens with its own credentials
 * @param s3 for a stopped server
 */
export async function backUp(
  {
    dataDir,
    to,
    s3,
    now,
  }: { readonly dataDir: string; readonly to: string; readonly s3: S3Settings; readonly now: number },
  { onProgress, signal }: { readonly onProgress: (progress: Progress) => void; readonly signal: AbortSignal },
): Promise<BackupDone> {
  try {
    // Server and command are of one version, or at least of one protocol.
    const request = { command: 'backup', arguments: { directory: to } };
    return (await askOperator(dataDir, request, (report) => onProgress(report as Progress), signal)) as BackupDone;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof NoServer)) throw error;
    return backUpStopped({ dataDir, place: placeOf(to, s3), now }, { onProgress, signal });
  }
}
