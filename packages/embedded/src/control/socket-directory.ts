import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where `pg` looks for a socket when its host is a directory. */
export const SOCKET_NAME = '.s.PGSQL.5432';

/** `sockaddr_un` has room for 108 bytes on Linux and 104 on macOS, the closing zero among them. */
const LONGEST_SOCKET_PATH = 103;

/**
 * The directory of the store's socket: inside of the store's own, unless the path gets too long for a
 * socket's address. Then it is a new one (mode 0700, as mkdtemp makes them) in the system's temporary
 * directory.
 */
export function socketDirectory(storeDir: string): { path: string; temporary: boolean } {
  const path = join(storeDir, 'socket');
  return Buffer.byteLength(join(path, SOCKET_NAME)) <= LONGEST_SOCKET_PATH
    ? { path, temporary: false }
    : { path: mkdtempSync(join(tmpdir(), 'fanion-')), temporary: true };
}
