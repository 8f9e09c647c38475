import { statSync } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compressFile } from '@fanion/embedded';
import { messageOf } from '../platform/message-of.ts';
import { copyHashed, listFiles, makeFolders, syncFiles, syncPath } from './files.ts';
import { type BackupFile, FORMAT, MANIFEST, type Manifest, type ManifestHead } from './manifest.ts';
import { bytesText, outdated, timeOfName } from './rules.ts';

/** A file or a folder that goes into a backup. */
export interface Source {
  readonly from: string;
  /** In the backup. */
  readonly to: string;
  /** Compress it; only a file. */
  readonly gzip?: boolean;
}

export interface BackupPlan {
  /** Gets the backup as a folder. */
  readonly directory: string;
  readonly name: string;
  readonly sources: readonly Source[];
  readonly head: ManifestHead;
  /** Older backups of this server beyond so many are removed at the end; undefined: none are. */
  readonly keep?: number | undefined;
}

/** What is told while it is written. */
export interface Progress {
  readonly phase: 'pausing' | 'copying';
  readonly done: number;
  readonly total: number;
}

export interface BackupDone {
  readonly path: string;
  readonly bytes: number;
  readonly files: number;
  readonly rows: number;
  readonly log: Manifest['log'];
  readonly secretKey: Manifest['secretKey'];
  /** Backups that were removed because newer ones are complete. */
  readonly removed: readonly string[];
}

/** Names the server whose backup is being written. */
const OWNER = 'unfinished.json';
const PARTIAL = '.partial';

/** Writes a backup next to its final name, and the manifest last; nothing is left of a failure. */
export async function writeBackup(plan: BackupPlan, onProgress: (progress: Progress) => void): Promise<BackupDone> {
  const { directory, name, head } = plan;
  const partial = partialPath(plan);
  const path = join(directory, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removePartials(directory, head.server);
  await mkdir(partial, { mode: 0o700 });
  try {
    await writeFile(join(partial, OWNER), JSON.stringify({ server: head.server }));
    const files = await copySources(plan, partial, onProgress);
    await rm(join(partial, OWNER));
    const manifest: Manifest = { format: FORMAT, ...head, files };
    await writeFile(join(partial, MANIFEST), JSON.stringify(manifest, undefined, 1), { mode: 0o600, flush: true });
    syncPath(partial);
    await rename(partial, path);
    syncPath(directory);
    const removed = plan.keep === undefined ? [] : await removeOutdated(directory, head.server, plan.keep);
    return { path, ...summaryOf(manifest), removed };
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {
      // The directory has vanished or cannot be written, which the error says.
    });
    const reason = messageOf(error);
    throw new Error(`the backup could not be written to ${directory}: ${reason}`);
  }
}

export function partialPath({ directory, name }: Pick<BackupPlan, 'directory' | 'name'>): string {
  return join(directory, `${name}${PARTIAL}`);
}

/** The newest complete backup in a directory, by its name; undefined: there is none. */
export async function newestBackup(directory: string): Promise<number | undefined> {
  const names = await completeBackups(directory);
  return names.map(timeOfName).findLast((time) => time !== undefined);
}

function summaryOf({ files, telemetry, log, secretKey }: Manifest): Omit<BackupDone, 'path' | 'removed'> {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    bytes: sum(files.map(({ bytes }) => bytes)),
    files: files.length,
    rows: sum(Object.values(telemetry.rows)),
    log,
    secretKey,
  };
}

async function copySources(
  { directory, sources }: BackupPlan,
  to: string,
  onProgress: (progress: Progress) => void,
): Promise<BackupFile[]> {
  const found = sources.flatMap(filesOf);
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < total)
    throw new Error(`${directory} has ${bytesText(bavail * bsize)} free, and the backup needs ${bytesText(total)}`);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress({ phase: 'copying', done, total });
  };
  makeFolders(
    to,
    found.map(({ path }) => path),
  );
  const files: BackupFile[] = [];
  for (const { from, path, bytes, gzip } of found) {
    const target = join(to, path);
    if (gzip) {
      await compressFile(from, target);
      files.push({ path, bytes: (await stat(target)).size, sha256: await copyHashed(target, undefined, () => {}) });
      onBytes(bytes);
    } else files.push({ path, bytes, sha256: await copyHashed(from, target, onBytes) });
  }
  syncFiles(
    to,
    files.map(({ path }) => path),
  );
  return files;
}

function filesOf({ from, to, gzip = false }: Source) {
  const found = statSync(from);
  if (!found.isDirectory()) return [{ from, path: to, bytes: found.size, gzip }];
  return listFiles(from).map(({ path, bytes }) => ({ from: join(from, path), path: `${to}/${path}`, bytes, gzip }));
}

/** Removes what killed backups of this server left. */
async function removePartials(directory: string, server: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith(PARTIAL) || timeOfName(name.slice(0, -PARTIAL.length)) === undefined) continue;
    const owner = await readFile(join(directory, name, OWNER), 'utf8').catch(() => '');
    if (owner === JSON.stringify({ server })) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** Other servers may use the same directory. */
async function removeOutdated(directory: string, server: string, keep: number): Promise<string[]> {
  const own: string[] = [];
  for (const name of await completeBackups(directory)) {
    const { server: owner }: { server?: unknown } = JSON.parse(await readFile(join(directory, name, MANIFEST), 'utf8'));
    if (owner === server) own.push(name);
  }
  const removed = outdated(own, keep);
  for (const name of removed) await rm(join(directory, name), { recursive: true, force: true });
  return removed;
}

/** Names, oldest first. Empty if the directory does not exist. */
async function completeBackups(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  const complete: string[] = [];
  for (const name of names.filter((one) => timeOfName(one) !== undefined).sort()) {
    const hasManifest = await access(join(directory, name, MANIFEST)).then(
      () => true,
      () => false,
    );
    if (hasManifest) complete.push(name);
  }
  return complete;
}
