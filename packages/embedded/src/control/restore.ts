import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DATABASE_FOLDER, lockStoppedStore } from '../store-directory.ts';
import { packSnapshot, unpackSnapshot } from './snapshots.ts';

/**
 * Replaces the control store in `dir` with a snapshot. The old database is kept beside it, as `pgdata.replaced`, until
 * the next restore.
 * @throws Error if the store is running or the snapshot is damaged; then nothing has changed.
 */
export async function restoreControlSnapshot(o: { snapshot: string; dir: string }): Promise<void> {
  const dir = resolve(o.dir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const lock = lockStoppedStore(dir);
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

/** Packs the database of a store that nobody has open into a tar file. The caller holds the store's lock. */
export async function packStoppedDatabase(dir: string, to: string): Promise<void> {
  await packSnapshot({ folder: join(dir, DATABASE_FOLDER), to, alone: (pack) => pack() });
}

/** Unpacks a snapshot as the database of a new control store. */
export async function unpackDatabase(snapshot: string, dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await unpackSnapshot(snapshot, join(dir, DATABASE_FOLDER));
}
