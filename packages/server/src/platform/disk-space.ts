import { statfsSync } from 'node:fs';

/** Of the file system of a folder: what processes without privileges may still write, and its size. */
export function diskSpace(folder: string): { readonly freeBytes: number; readonly bytes: number } {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, bytes: blocks * bsize };
}
