/**
 * Backups of a whole server with embedded stores. A snapshot (`snapshot.ts`) freezes the tables, the log and the database at one
 * moment, by hard links; then a thread of low priority copies it into a folder (`write.ts`), whose manifest comes last. `restore.ts` checks
 * every file before it touches a data directory. docs/decisions/0143 explains why.
 */

import { askOperator, NoServer } from '../platform/operator/index.ts';
import { backUpStopped } from './stopped.ts';
import type { BackupDone, Progress } from './write.ts';

export type { Manifest } from './manifest.ts';
export { restoreBackup } from './restore.ts';
export { bytesText } from './rules.ts';
export { verifyBackup } from './verify.ts';

/** Has the server that runs on a data directory write a backup; without one, copies the directory. */
export async function backUp(
  { dataDir, directory, now }: { readonly dataDir: string; readonly directory: string; readonly now: number },
  onProgress: (progress: Progress) => void,
): Promise<BackupDone> {
  try {
    // Server and command are of one version, or at least of one protocol.
    const request = { command: 'backup', arguments: { directory } };
    return (await askOperator(dataDir, request, (report) => onProgress(report as Progress))) as BackupDone;
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    return backUpStopped({ dataDir, directory, now }, onProgress);
  }
}
