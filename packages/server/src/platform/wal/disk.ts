import { close, fdatasync, fsync, ftruncate, open, statfs, writev } from 'node:fs';
import { promisify } from 'node:util';

/**
 * The file operations of the log, all on libuv's thread pool. An interface, so that a test can simulate a full disk or
 * a failed sync.
 */
export interface Disk {
  /** Creates a file that must not exist. */
  create(path: string): Promise<number>;
  /** Writes all buffers at the position, or fails. */
  write(fd: number, buffers: Uint8Array[], position: number): Promise<void>;
  sync(fd: number): Promise<void>;
  truncate(fd: number, length: number): Promise<void>;
  close(fd: number): Promise<void>;
  /** Makes creations and removals in a directory durable. */
  syncDirectory(path: string): Promise<void>;
  freeBytes(path: string): Promise<number>;
}

const openAsync = promisify(open);
const closeAsync = promisify(close);
const fsyncAsync = promisify(fsync);
const writevAsync = promisify(writev);
const statfsAsync = promisify<string, { bavail: number; bsize: number }>((path, done) => statfs(path, done));

export const realDisk: Disk = {
  create: (path) => openAsync(path, 'wx', 0o600),
  async write(fd, buffers, position) {
    let rest: Uint8Array[] = buffers;
    let at = position;
    while (rest.length > 0) {
      const { bytesWritten } = await writevAsync(fd, rest, at);
      at += bytesWritten;
      rest = unwritten(rest, bytesWritten);
    }
  },
  sync: promisify(fdatasync),
  truncate: promisify(ftruncate),
  close: closeAsync,
  async syncDirectory(path) {
    const fd = await openAsync(path, 'r');
    try {
      await fsyncAsync(fd);
    } finally {
      await closeAsync(fd);
    }
  },
  async freeBytes(path) {
    const { bavail, bsize } = await statfsAsync(path);
    return bavail * bsize;
  },
};

/** The rest after a short write. */
function unwritten(buffers: Uint8Array[], written: number): Uint8Array[] {
  let skip = written;
  for (const [index, buffer] of buffers.entries()) {
    if (skip < buffer.length) return [buffer.subarray(skip), ...buffers.slice(index + 1)];
    skip -= buffer.length;
  }
  return [];
}
