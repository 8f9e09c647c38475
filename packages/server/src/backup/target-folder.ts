import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compressFile } from '@fanion/embedded';
import { copyHashed, foldersOf, listFiles, makeFolders, syncFiles, syncPath } from './files.ts';
import { type BackupFile, MANIFEST, serverOf } from './manifest.ts';
import { bytesText, timeOfName } from './rules.ts';
import type { BackupSource, BackupTarget, SourceFile } from './target.ts';

const PARTIAL = '.partial';

/**
 * Backups in a folder of this machine. One is written next to its final name, as `NAME.SERVER.partial`: whenever it is killed, its
 * server knows it again.
 */
export function folderTarget(directory: string): BackupTarget {
  const remove = (name: string) => rm(join(directory, name), { recursive: true, force: true });
  return {
    label: directory,
    pathOf: (name) => join(directory, name),
    async begin({ name, server }) {
      const partial = join(directory, `${name}.${server}${PARTIAL}`);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await removePartials(directory, (found) => found.server === server);
      await mkdir(partial, { mode: 0o700 });
      const written = new Set<string>();
      const folders = new Set<string>();
      return {
        putFiles: (files, onBytes) => copyFiles(files, { directory, to: partial }, onBytes),
        async putBytes(path, bytes) {
          for (const folder of foldersOf(path)) if (!folders.has(folder)) await mkdirOnce(join(partial, folder));
          for (const folder of foldersOf(path)) folders.add(folder);
          await writeFile(join(partial, path), bytes, { mode: 0o600, flag: 'wx' });
          written.add(path);
          return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
        },
        async dropFiles(paths) {
          for (const path of paths) await rm(join(partial, path));
          for (const path of paths) written.delete(path);
        },
        async commit(manifest) {
          if (written.size > 0) syncFiles(partial, [...folders, ...written]);
          await writeFile(join(partial, MANIFEST), manifest, { mode: 0o600, flush: true });
          syncPath(partial);
          await rename(partial, join(directory, name));
          syncPath(directory);
        },
      };
    },
    listComplete: () => completeIn(directory),
    ownerOf: async (name) => serverOf(await readFile(join(directory, name, MANIFEST), 'utf8')),
    remove,
    discard: (name) => removePartials(directory, (found) => found.name === name),
    close() {},
  };
}

export function folderSource(path: string): BackupSource {
  return {
    label: path,
    isLocal: true,
    readManifest: () => readFile(join(path, MANIFEST), 'utf8').catch(undefinedIfMissing),
    listFiles: async () => listFiles(path).filter((file) => file.path !== MANIFEST),
    async readFiles(files, to, onBytes) {
      const hashes = new Map<string, string>();
      for (const file of files) {
        const target = to === undefined ? undefined : join(to, file.path);
        hashes.set(file.path, await copyHashed(join(path, file.path), target, onBytes));
      }
      return hashes;
    },
    readBytes: (file) => readFile(join(path, file.path)),
    listOthers: () => completeIn(path),
    close() {},
  };
}

async function copyFiles(
  files: readonly SourceFile[],
  { directory, to }: { readonly directory: string; readonly to: string },
  onBytes: (bytes: number) => void,
): Promise<BackupFile[]> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < total)
    throw new Error(`${directory} has ${bytesText(bavail * bsize)} free, and the backup needs ${bytesText(total)}`);
  const paths = files.map(({ path }) => path);
  makeFolders(to, paths);
  const copied: BackupFile[] = [];
  for (const { from, path, bytes, gzip } of files) {
    const target = join(to, path);
    if (gzip) {
      await compressFile(from, target);
      copied.push({ path, bytes: (await stat(target)).size, sha256: await copyHashed(target, undefined, () => {}) });
      onBytes(bytes);
    } else copied.push({ path, bytes, sha256: await copyHashed(from, target, onBytes) });
    // The message that ends the backup arrives between two files.
    await nextTurn();
  }
  syncFiles(to, paths);
  return copied;
}

/** Never its parents: when a disk vanishes, the next file fails. Two files may need the same folder at once. */
async function mkdirOnce(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

interface Partial {
  /** Of the backup. */
  readonly name: string;
  readonly server: string;
}

async function removePartials(directory: string, isToRemove: (found: Partial) => boolean): Promise<void> {
  for (const folder of (await readdir(directory).catch(undefinedIfMissing)) ?? []) {
    const [name = '', server = ''] = folder.slice(0, -PARTIAL.length).split('.');
    if (folder !== `${name}.${server}${PARTIAL}` || timeOfName(name) === undefined) continue;
    if (isToRemove({ name, server })) await rm(join(directory, folder), { recursive: true, force: true });
  }
}

async function completeIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory).catch(undefinedIfMissing)) ?? [];
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

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
