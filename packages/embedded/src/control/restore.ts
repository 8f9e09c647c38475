import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { acquireLockFile, LockedError } from '../lock-file.ts';
import { DATABASE_FOLDER, STORE_LOCK } from '../store-directory.ts';
import { unpackSnapshot } from './snapshots.ts';

/**
 * Replaces the control store in `dir` with a snapshot. The old database is kept beside it, as `pgdata.replaced`, until
 * the next restore.
 * @throws Error if the store is running or the snapshot is damaged; then nothing has changed.
 */
export async function restoreControlSnapshot(o: { snapshot: string; dir: string }): Promise<void> {
  const dir = resolve(o.dir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const lock = lockStopped(dir);
  try {
    const folder = join(dir, DATABASE_FOLDER);
    const restored = `${folder}.restored`;
    await rm(restored, { recursive: true, force: true });
    await unpackSnapshot(resolve(o.snapshot), restored);
    if (existsSync(folder)) {
      await rm(`${folder}.replaced`, { recursive: true, force: true });
      await rename(folder, `${folder}.replaced`);
    }
    await rename(restored, folder);
  } finally {
    lock.release();
  }
}

function lockStopped(dir: string) {
  try {
    return acquireLockFile(join(dir, STORE_LOCK));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(`The control store in ${dir} is running in process ${error.owner.pid}; stop it before restoring.`);
  }
}
