import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK_BYTES = 1 << 20;

/** A file by its path below a folder, with `/`. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

/** All files below a folder. @throws Error for anything but files and folders, such as links */
export async function listFiles(folder: string, below = ''): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await listFiles(folder, path)));
    else if (entry.isFile()) found.push({ path, bytes: (await lstat(join(folder, path))).size });
    else throw new Error(`${join(folder, path)} is neither a file nor a folder`);
  }
  return found;
}

/**
 * Creates the folders of files below an existing one. Never that one itself: when a disk vanishes under a copy, the next file fails,
 * rather than going to another disk.
 */
export function makeFolders(root: string, paths: readonly string[]): void {
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) folders.add(parts.slice(0, depth).join('/'));
  }
  // A folder sorts before what is in it.
  for (const folder of [...folders].sort()) mkdirSync(join(root, folder), { mode: 0o700 });
}

/**
 * Copies a file into a folder and syncs it to disk. Blocks its thread, whose priority then holds for all of it, and pauses after each MiB.
 * @returns the SHA-256 of its bytes
 */
export async function copyHashed(from: string, to: string, onBytes: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const source = openSync(from, 'r');
  try {
    const target = openSync(to, 'wx', 0o600);
    try {
      for (;;) {
        const read = readSync(source, buffer);
        if (read === 0) break;
        hash.update(buffer.subarray(0, read));
        for (let written = 0; written < read; ) written += writeSync(target, buffer, written, read - written);
        onBytes(read);
        await new Promise((resolve) => setImmediate(resolve));
      }
      fdatasyncSync(target);
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
  return hash.digest('hex');
}

export async function hashFile(path: string, onBytes: (bytes: number) => void = () => {}): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    hash.update(chunk);
    onBytes(chunk.length);
  }
  return hash.digest('hex');
}

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
