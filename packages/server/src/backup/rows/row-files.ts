import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { messageOf } from '../../platform/message-of.ts';
import { MOST_ROW_BYTES, type RowsFile } from '../manifest.ts';
import type { UnfinishedBackup } from '../target.ts';

/** About 100 MiB in a second of a core; the next levels take twice the time for a tenth less. */
const LEVEL = 1;

/** A file of rows, compressed. */
export interface Packed {
  readonly path: string;
  readonly bytes: Buffer;
  readonly rows: number;
}

export async function pack(path: string, content: Uint8Array, rows: number): Promise<Packed> {
  return { path, bytes: await promisify(gzip)(content, { level: LEVEL }), rows };
}

/** @throws Error if it is damaged or too large */
export async function unpack(bytes: Buffer): Promise<Buffer> {
  return promisify(gunzip)(bytes, { maxOutputLength: MOST_ROW_BYTES });
}

/** The place of the backup is the reason of a failure, not a store. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable';
}

/** The files of a backup of rows while it is written. */
export interface RowFiles {
  put(file: Packed): Promise<void>;
  drop(paths: readonly string[]): Promise<void>;
  list(): RowsFile[];
}

export function createRowFiles(unfinished: UnfinishedBackup): RowFiles {
  const files = new Map<string, RowsFile>();
  return {
    async put({ path, bytes, rows }) {
      files.set(path, { ...(await written(unfinished.putBytes(path, bytes))), rows });
    },
    async drop(paths) {
      await written(unfinished.dropFiles(paths));
      for (const path of paths) files.delete(path);
    },
    list: () => [...files.values()],
  };
}

async function written<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    throw new NotWritable(messageOf(error), { cause: error });
  }
}
