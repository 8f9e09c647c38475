import { randomFillSync } from 'node:crypto';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreLog } from '../store.ts';

/** Beside the database: room that is given up when the disk has none left. */
export const BALLAST_FILE = 'ballast';

export interface BallastOptions {
  dir: string;
  /** PGlite needs some 27 MB to get out of a full disk: the next segment of its log, and a checkpoint. */
  bytes: number;
  /** With less than this free, the ballast goes. */
  lowBytes: number;
  everyMs: number;
  /** Told when there is room again after there was little. */
  onRoom(): void;
  log: StoreLog;
  /** Of the file system that holds a directory. */
  freeBytes?: (dir: string) => Promise<number>;
}

/** Made again only when so many times its size is free. */
const PLENTY = 4;
const PIECE = 1 << 20;

/**
 * Watches the disk. When it is nearly full, the ballast is deleted, so that the database can go on writing for a while:
 * PGlite does not come back from a log that it cannot write, it hangs. Whoever owns the machine hears of it, and when
 * room has been made, the ballast is laid in again.
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

async function freeBytesOf(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Random bytes: file systems that compress, or leave holes for zeros, would give no room for them. */
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
