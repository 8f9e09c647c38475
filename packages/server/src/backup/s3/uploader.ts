import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compressFile } from '@fanion/embedded';
import type { BackupFile } from '../manifest.ts';
import type { SourceFile, UnfinishedBackup } from '../target.ts';
import { PARALLEL } from './client.ts';
import type { S3Objects } from './objects.ts';
import { inParallel } from './parallel.ts';
import { createSlots, type Slots } from './slots.ts';

const MIB = 1024 ** 2;
/** Larger files are uploaded in parts. */
const PART_BYTES = 8 * MIB;
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MOST_PARTS = 10_000;

/** The size of the parts of a file, of which there are not too many: 8 MiB up to 78 GiB. */
export function partBytes(bytes: number): number {
  return Math.max(PART_BYTES, Math.ceil(bytes / MOST_PARTS / MIB) * MIB);
}

interface Opened {
  readonly fd: number;
  readonly key: string;
  readonly bytes: number;
}

/**
 * Uploads files, several at a time, and large ones in parts of which several are under way. Blocks its thread while it reads, whose
 * priority then holds for that, too.
 */
export function createUploader(
  objects: S3Objects,
  signal: AbortSignal,
  keyOf: (path: string) => string,
): UnfinishedBackup['putFiles'] {
  setMaxListeners(0, signal);
  const slots = createSlots({ requests: PARALLEL, bytes: PARALLEL * PART_BYTES });

  async function put(file: SourceFile, onBytes: (bytes: number) => void): Promise<BackupFile> {
    if (!file.gzip) return upload(file.from, file.path, onBytes);
    // Beside the original, which is a part of the snapshot.
    const compressed = `${file.from}.gz`;
    try {
      await compressFile(file.from, compressed);
      const done = await upload(compressed, file.path, () => {});
      onBytes(file.bytes);
      return done;
    } finally {
      await rm(compressed, { force: true });
    }
  }

  async function upload(from: string, path: string, onBytes: (bytes: number) => void): Promise<BackupFile> {
    const fd = openSync(from, 'r');
    try {
      const opened = { fd, key: keyOf(path), bytes: statSync(from).size };
      const sha256 =
        opened.bytes <= PART_BYTES
          ? await putWhole(objects, slots, opened)
          : await putParts(objects, { slots, signal }, opened, onBytes);
      if (opened.bytes <= PART_BYTES) onBytes(opened.bytes);
      return { path, bytes: opened.bytes, sha256 };
    } finally {
      closeSync(fd);
    }
  }

  return async (files, onBytes) => {
    const done: BackupFile[] = [];
    await inParallel(files.entries(), PARALLEL, async ([at, file]) => {
      signal.throwIfAborted();
      done[at] = await put(file, onBytes);
    });
    return done;
  };
}

async function putWhole(objects: S3Objects, slots: Slots, { fd, key, bytes }: Opened): Promise<string> {
  const release = await slots.take(bytes);
  try {
    const body = readPart(fd, 0, bytes);
    const sha256 = createHash('sha256').update(body).digest('hex');
    await objects.put(key, body, { sha256 });
    return sha256;
  } finally {
    release();
  }
}

async function putParts(
  objects: S3Objects,
  { slots, signal }: { readonly slots: Slots; readonly signal: AbortSignal },
  { fd, key, bytes }: Opened,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const upload = await objects.createUpload(key);
  const size = partBytes(bytes);
  const hash = createHash('sha256');
  const tags: string[] = [];
  const starts = Array.from({ length: Math.ceil(bytes / size) }, (_, at) => at * size);
  const failures: unknown[] = [];
  const sent: Promise<void>[] = [];
  for (const [at, start] of starts.entries()) {
    const length = Math.min(size, bytes - start);
    const release = await slots.take(length);
    if (failures.length > 0 || signal.aborted) {
      release();
      break;
    }
    const send = async () => {
      const body = readPart(fd, start, length);
      hash.update(body);
      const sha256 = createHash('sha256').update(body).digest('hex');
      tags[at] = await objects.putPart({ key, upload, number: at + 1 }, body, sha256);
      onBytes(length);
    };
    // Its reading and hashing happen now, so in order.
    sent.push(
      send()
        .catch((error: unknown) => void failures.push(error))
        .finally(release),
    );
    await nextTurn();
  }
  await Promise.all(sent);
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  await objects.completeUpload(key, upload, tags);
  return hash.digest('hex');
}

function readPart(fd: number, from: number, bytes: number): Buffer {
  const body = Buffer.allocUnsafeSlow(bytes);
  for (let read = 0; read < bytes; ) {
    const more = readSync(fd, body, read, bytes - read, from + read);
    if (more === 0) throw new Error('a file became shorter while it was read');
    read += more;
  }
  return body;
}
