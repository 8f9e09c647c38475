import { randomFillSync } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBytesOf } from '../free-bytes.ts';
import type { StoreLog } from '../store.ts';

/** A file beside the database that reserves space for when the disk is full. */
export const BALLAST_FILE = 'ballast';

export interface BallastOptions {
  dir: string;
  /** PGlite needs some 27 MB to recover from a full disk: the next segment of its log, and a checkpoint. */
  bytes: number;
  /** With less than this free, the ballast is deleted. */
  lowBytes: number;
  everyMs: number;
  /** Called when space is free again after it was low. */
  onRoom(): void;
  log: StoreLog;
  /** Free bytes of a directory's file system. */
  freeBytes?: (dir: string) => Promise<number>;
}

/** Created again only when this many times its size is free. */
const PLENTY = 4;
const PIECE = 1 << 20;

/**
 * Watches the disk. When it is nearly full, deletes the ballast, so that the database can write for a while longer:
 * PGlite hangs for good when it cannot write its log. Logs this for the operator, and creates the ballast again when
 * there is space.
 */
export function keepBallast(options: BallastOptions): { stop(): Promise<void> } {
  const { dir, bytes, lowBytes, log, everyMs, onRoom } = options;
  const freeBytes = options.freeBytes ?? freeBytesOf;
  const path = join(dir, BALLAST_FILE);
  let isLow = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const free = await freeBytes(dir);
    const laid = await sizeOf(path);
    if (free < lowBytes) {
      if (laid > 0) {
        await rm(path, { force: true });
        log.error({ freeBytes: free, given: laid }, 'the disk is full: the ballast file is deleted; make room');
      } else if (!isLow) log.error({ freeBytes: free }, 'the disk is full, and there is no ballast left; make room');
      isLow = true;
      return;
    }
    if (isLow && free >= lowBytes + bytes) {
      isLow = false;
      log.info({ freeBytes: free }, 'there is room on the disk again');
      onRoom();
    }
    if (laid < bytes && free > bytes * PLENTY) await lay(path, bytes);
  }

  let looking: Promise<void> = Promise.resolve();
  const again = () => {
    looking = look()
      .catch((error: unknown) => log.warn({ error: String(error) }, 'could not look after the ballast file'))
      .finally(() => {
        if (!stopped) timer = setTimeout(again, everyMs).unref();
      });
  };
  again();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Random bytes, since file systems that compress or store zeros as holes would reserve no space. */
async function lay(path: string, bytes: number): Promise<void> {
  const piece = randomFillSync(Buffer.allocUnsafe(Math.min(PIECE, bytes)));
  const file = await open(path, 'w', 0o600);
  try {
    for (let written = 0; written < bytes; written += piece.length) {
      await file.write(piece, 0, Math.min(piece.length, bytes - written));
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
