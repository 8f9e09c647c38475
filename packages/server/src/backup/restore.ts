import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDataDirectory, unpackDatabase } from '@fanion/embedded';
import { version } from '../version.ts';
import { copyHashed, makeFolders, syncFiles, syncPath } from './files.ts';
import { CONTROL, type Manifest } from './manifest.ts';
import { OWN_PLACES, RESTORING } from './own-files.ts';
import { bytesText } from './rules.ts';
import { bytesOf, type OnBytes, verifyBackup } from './verify.ts';

/**
 * Restores a backup into a data directory that holds nothing of a server. First every file of the backup is checked. Then they are
 * copied into a folder of the data directory and moved from there: the directory may be a mount point, next to which is another disk.
 * A server does not start while that folder exists.
 * @throws Error if the directory is used, or the backup is damaged or of a newer version
 */
export async function restoreBackup(
  { backup, dataDir }: { readonly backup: string; readonly dataDir: string },
  on: { readonly verified: OnBytes; readonly copied: OnBytes },
): Promise<Manifest> {
  const isNew = !existsSync(dataDir);
  let lock = isNew ? undefined : lockDataDirectory(dataDir);
  try {
    if (!isNew) await refuseUsed(dataDir);
    const manifest = await verifyBackup(backup, version, on.verified);
    lock ??= lockDataDirectory(dataDir);
    const partial = join(dataDir, RESTORING);
    try {
      await copyFiles(backup, manifest, partial, on.copied);
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
  }
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

async function copyFiles(backup: string, manifest: Manifest, partial: string, onBytes: OnBytes): Promise<void> {
  await mkdir(partial, { mode: 0o700 });
  const total = bytesOf(manifest);
  const { bavail, bsize } = await statfs(partial);
  if (bavail * bsize < total)
    throw new Error(`the disk has ${bytesText(bavail * bsize)} free, and the backup needs ${bytesText(total)}`);
  let done = 0;
  const onCopied = (bytes: number) => {
    done += bytes;
    onBytes(done, total);
  };
  const files = manifest.files.filter(({ path }) => path !== CONTROL);
  makeFolders(
    partial,
    files.map(({ path }) => path),
  );
  for (const { path, sha256 } of files) {
    const copied = await copyHashed(join(backup, path), join(partial, path), onCopied);
    if (copied !== sha256) throw new Error(`${path} has changed since it was checked`);
  }
  syncFiles(
    partial,
    files.map(({ path }) => path),
  );
  await unpackDatabase(join(backup, CONTROL), join(partial, 'control'));
}
