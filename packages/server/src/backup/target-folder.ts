import { access, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compressFile } from '@fanion/embedded';
import { copyHashed, listFiles, makeFolders, syncFiles, syncPath } from './files.ts';
import { type BackupFile, MANIFEST, serverOf } from './manifest.ts';
import { bytesText, timeOfName } from './rules.ts';
import { type BackupSource, type BackupTarget, OWNER, ownerText, type SourceFile } from './target.ts';

const PARTIAL = '.partial';

/** Backups in a folder of this machine. One is written next to its final name. */
export function folderTarget(directory: string): BackupTarget {
  const partialOf = (name: string) => join(directory, `${name}${PARTIAL}`);
  const remove = (name: string) => rm(join(directory, name), { recursive: true, force: true });
  return {
    label: directory,
    pathOf: (name) => join(directory, name),
    async begin({ name, server }) {
      const partial = partialOf(name);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await removePartials(directory, server);
      await mkdir(partial, { mode: 0o700 });
      await writeFile(join(partial, OWNER), ownerText(server));
      return {
        putFiles: (files, onBytes) => copyFiles(files, { directory, to: partial }, onBytes),
        async commit(manifest) {
          await rm(join(partial, OWNER));
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
    discard: (name) => rm(partialOf(name), { recursive: true, force: true }),
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

/** Removes what killed backups of this server left. */
async function removePartials(directory: string, server: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith(PARTIAL) || timeOfName(name.slice(0, -PARTIAL.length)) === undefined) continue;
    const owner = await readFile(join(directory, name, OWNER), 'utf8').catch(() => '');
    if (owner === ownerText(server)) await rm(join(directory, name), { recursive: true, force: true });
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
