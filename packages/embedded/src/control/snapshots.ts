import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { packFolder, unpackFolder } from './tar.ts';

const NAME = /^control-\d{8}T\d{9}Z\.tar\.gz$/;

/**
 * Takes a snapshot of a folder: packs it while `alone` keeps clients away; then, with the database in use again,
 * compresses it, syncs it to disk, and only then gives it its final name.
 * @returns its path
 */
export async function takeSnapshot(o: {
  folder: string;
  backupDir: string;
  keep: number;
  at: Date;
  alone: (action: () => Promise<void>) => Promise<void>;
}): Promise<string> {
  await mkdir(o.backupDir, { recursive: true, mode: 0o700 });
  const name = `control-${o.at.toISOString().replace(/[-:.]/g, '')}.tar.gz`;
  const packed = join(o.backupDir, `.${name}.packing`);
  const compressed = join(o.backupDir, `.${name}.writing`);
  const final = join(o.backupDir, name);
  try {
    await packSnapshot({ folder: o.folder, to: packed, alone: o.alone });
    await compressFile(packed, compressed);
    await rename(compressed, final);
    await syncPath(o.backupDir);
  } finally {
    await rm(packed, { force: true });
    await rm(compressed, { force: true });
  }
  await removeOldSnapshots(o.backupDir, o.keep);
  return final;
}

/** Packs a folder into a new tar file, while `alone` keeps clients away; nothing is left of a failure. */
export async function packSnapshot(o: {
  folder: string;
  to: string;
  alone: (action: () => Promise<void>) => Promise<void>;
}): Promise<void> {
  await mkdir(dirname(o.to), { recursive: true, mode: 0o700 });
  const tar = await open(o.to, 'w', 0o600);
  try {
    await o.alone(() => packFolder(o.folder, tar));
  } catch (error) {
    await rm(o.to, { force: true });
    throw error;
  } finally {
    await tar.close();
  }
}

/** Deletes the files of interrupted snapshots. */
export async function removeUnfinishedSnapshots(backupDir: string): Promise<void> {
  for (const name of await readdir(backupDir).catch(() => [])) {
    if (/^\.control-.*\.(packing|writing)$/.test(name)) await rm(join(backupDir, name), { force: true });
  }
}

/** Unpacks a snapshot into a folder that does not exist yet; all or nothing. */
export async function unpackSnapshot(snapshot: string, folder: string): Promise<void> {
  const unfinished = `${folder}.unpacking`;
  await rm(unfinished, { recursive: true, force: true });
  const gunzip = createGunzip();
  const [unpacked] = await Promise.allSettled([
    unpackFolder(gunzip, unfinished),
    pipeline(createReadStream(snapshot), gunzip, { end: true }),
  ]);
  if (unpacked.status === 'rejected') {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`${snapshot} cannot be restored: ${unpacked.reason}`);
  }
  await rename(unfinished, folder);
}

export async function compressFile(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createGzip({ level: 3 }), createWriteStream(to, { mode: 0o600 }));
  await syncPath(to);
}

async function removeOldSnapshots(backupDir: string, keep: number): Promise<void> {
  const names = (await readdir(backupDir)).filter((name) => NAME.test(name)).sort();
  for (const name of names.slice(0, Math.max(0, names.length - keep))) await rm(join(backupDir, name), { force: true });
}

/** Syncs a file's bytes, or a folder's names, to disk. */
async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
