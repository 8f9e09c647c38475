import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDataDirectory, unpackDatabase } from '@fanion/embedded';
import { version } from '../version.ts';
import { makeFolders, syncFiles, syncPath } from './files.ts';
import { CONTROL, FILES_FORMAT, type FilesManifest } from './manifest.ts';
import { OWN_PLACES, RESTORING } from './own-files.ts';
import { leaveRestored, type Restorer, restoredOf } from './restored.ts';
import { bytesText } from './rules.ts';
import type { BackupSource } from './target.ts';
import { bytesOf, checkFiles, counting, type OnBytes, refuseWrong, verifyBackup, wrongHashes } from './verify.ts';

interface FilesRestore {
  readonly backup: BackupSource;
  readonly dataDir: string;
  readonly restorer: Restorer;
}

/**
 * Restores a backup into a data directory that holds nothing of a server. Every file is checked before any gets its name: those of a
 * local backup before the first one is copied, those of a bucket while they are downloaded once. The files go into a folder of the data
 * directory and are moved from there: the directory may be a mount point, next to which is another disk. A server does not start
 * while that folder exists.
 * @throws Error if the directory is used, or the backup is damaged or of a newer version
 */
export async function restoreBackup(
  { backup, dataDir, restorer }: FilesRestore,
  on: { readonly verified: OnBytes; readonly copied: OnBytes },
): Promise<FilesManifest> {
  const isNew = !existsSync(dataDir);
  let lock = isNew ? undefined : lockDataDirectory(dataDir);
  try {
    if (!isNew) await refuseUsed(dataDir);
    const manifest = backup.isLocal
      ? await verifyBackup(backup, version, on.verified)
      : await checkFiles(backup, version);
    if (manifest.format !== FILES_FORMAT) throw new Error(`${backup.label} is a backup of rows`);
    lock ??= lockDataDirectory(dataDir);
    const partial = join(dataDir, RESTORING);
    try {
      await copyFiles(backup, manifest, partial, on.copied);
      await leaveRestored(partial, restoredOf(restorer, backup.label, manifest));
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
    for (const name of await readdir(partial)) await rename(join(partial, name), join(dataDir, name));
    syncPath(dataDir);
    await rmdir(partial);
    return manifest;
  } finally {
    lock?.release();
    if (isNew) await removeIfEmpty(dataDir);
  }
}

/** What a failure left of a directory that did not exist before. */
async function removeIfEmpty(dataDir: string): Promise<void> {
  if (existsSync(dataDir) && (await readdir(dataDir)).length === 0) await rmdir(dataDir);
}

async function refuseUsed(dataDir: string): Promise<void> {
  const names = await readdir(dataDir);
  const used = OWN_PLACES.filter((name) => names.includes(name));
  if (used.length > 0)
    throw new Error(
      `${dataDir} already holds ${used.join(', ')}: restore into an empty directory with --data, or move these away first`,
    );
  await rm(join(dataDir, RESTORING), { recursive: true, force: true });
}

async function copyFiles(
  backup: BackupSource,
  manifest: FilesManifest,
  partial: string,
  onBytes: OnBytes,
): Promise<void> {
  await mkdir(partial, { mode: 0o700 });
  const total = bytesOf(manifest);
  const { bavail, bsize } = await statfs(partial);
  if (bavail * bsize < total)
    throw new Error(`the disk has ${bytesText(bavail * bsize)} free, and the backup needs ${bytesText(total)}`);
  const paths = manifest.files.map(({ path }) => path);
  makeFolders(partial, paths);
  const hashes = await backup.readFiles(manifest.files, partial, counting(manifest, onBytes));
  refuseWrong(backup, wrongHashes(manifest.files, hashes));
  syncFiles(partial, paths);
  await unpackDatabase(join(partial, CONTROL), join(partial, 'control'));
  await rm(join(partial, CONTROL));
}
