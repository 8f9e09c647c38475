import type { FoundFile } from './files.ts';
import { MANIFEST, type Manifest, parseManifest } from './manifest.ts';
import type { BackupSource } from './target.ts';

/** Of wrong files, those that a message names. */
const NAMED = 10;

/** What is told while files are read or copied. */
export type OnBytes = (done: number, total: number) => void;

/**
 * Checks that a backup is complete and that every file is as it was written.
 * @param version of this program
 * @throws Error that names the wrong files
 */
export async function verifyBackup(source: BackupSource, version: string, onBytes: OnBytes): Promise<Manifest> {
  const manifest = await readManifest(source, version);
  const wrong = wrongSizes(manifest, await source.listFiles());
  const sound = manifest.files.filter(({ path }) => !wrong.has(path));
  const hashes = await source.readFiles(sound, undefined, counting(manifest, onBytes));
  refuseWrong(source, new Map([...wrong, ...wrongHashes(sound, hashes)]));
  return manifest;
}

/** Checks the same without reading the files: that each is there, with its size. */
export async function checkFiles(source: BackupSource, version: string): Promise<Manifest> {
  const manifest = await readManifest(source, version);
  refuseWrong(source, wrongSizes(manifest, await source.listFiles()));
  return manifest;
}

/** What is wrong, by the paths of files whose checksum differs. */
export function wrongHashes(files: Manifest['files'], hashes: ReadonlyMap<string, string>): Map<string, string> {
  const wrong = files.filter(({ path, sha256 }) => hashes.get(path) !== sha256);
  return new Map(wrong.map(({ path }) => [path, `${path} has a wrong checksum`]));
}

/** @throws Error if anything is */
export function refuseWrong({ label }: BackupSource, wrong: ReadonlyMap<string, string>): void {
  if (wrong.size === 0) return;
  const more = wrong.size > NAMED ? `\n  and ${wrong.size - NAMED} more` : '';
  const named = [...wrong.values()].slice(0, NAMED).join('\n  ');
  throw new Error(`${label} is damaged, and nothing was restored:\n  ${named}${more}`);
}

export function bytesOf({ files }: Pick<Manifest, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Adds up the bytes of chunks. */
export function counting(manifest: Manifest, onBytes: OnBytes): (bytes: number) => void {
  const total = bytesOf(manifest);
  let done = 0;
  return (bytes) => {
    done += bytes;
    onBytes(done, total);
  };
}

/** @throws Error if there is none, if it is damaged, or if it needs a newer version */
export async function readManifest(source: BackupSource, version: string): Promise<Manifest> {
  const text = await source.readManifest();
  if (text !== undefined) return parseManifest(text, source.label, version);
  const others = await source.listOthers().catch(() => []);
  const below = others.length === 0 ? '' : `. The newest one below it is ${others.at(-1)}, of ${others.length}`;
  throw new Error(`${source.label} is not a complete backup: it has no ${MANIFEST}, which is written last${below}`);
}

function wrongSizes({ files }: Manifest, listed: readonly FoundFile[]): Map<string, string> {
  const found = new Map(listed.map(({ path, bytes }) => [path, bytes]));
  const wrong = new Map<string, string>();
  for (const { path, bytes } of files) {
    const size = found.get(path);
    found.delete(path);
    if (size === undefined) wrong.set(path, `${path} is missing`);
    else if (size !== bytes) wrong.set(path, `${path} has ${size} bytes instead of ${bytes}`);
  }
  for (const path of found.keys()) wrong.set(path, `${path} is not in the manifest`);
  return wrong;
}
