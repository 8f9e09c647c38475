import { join } from 'node:path';
import { copyHashed, listFiles } from './files.ts';
import { MANIFEST, type Manifest, readManifest } from './manifest.ts';

/** Of wrong files, those that a message names. */
const NAMED = 10;

/** What is told while files are read or copied. */
export type OnBytes = (done: number, total: number) => void;

/**
 * Checks that a backup is complete and that every file is as it was written.
 * @param version of this program
 * @throws Error that names the wrong files
 */
export async function verifyBackup(directory: string, version: string, onBytes: OnBytes): Promise<Manifest> {
  const manifest = await readManifest(directory, version);
  const found = new Map(listFiles(directory).map(({ path, bytes }) => [path, bytes]));
  found.delete(MANIFEST);
  const wrong: string[] = [];
  const total = bytesOf(manifest);
  let done = 0;
  for (const { path, bytes, sha256 } of manifest.files) {
    const size = found.get(path);
    found.delete(path);
    if (size === undefined) wrong.push(`${path} is missing`);
    else if (size !== bytes) wrong.push(`${path} has ${size} bytes instead of ${bytes}`);
    else if ((await copyHashed(join(directory, path), undefined, () => {})) !== sha256)
      wrong.push(`${path} has a wrong checksum`);
    done += bytes;
    onBytes(done, total);
  }
  for (const path of found.keys()) wrong.push(`${path} is not in the manifest`);
  if (wrong.length === 0) return manifest;
  const more = wrong.length > NAMED ? `\n  and ${wrong.length - NAMED} more` : '';
  throw new Error(`${directory} is damaged, and nothing was restored:\n  ${wrong.slice(0, NAMED).join('\n  ')}${more}`);
}

export function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
