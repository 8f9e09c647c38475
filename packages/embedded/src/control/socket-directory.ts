import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file name of the socket that `pg` expects in a directory. */
export const SOCKET_NAME = '.s.PGSQL.5432';

/** `sockaddr_un` has 108 bytes on Linux and 104 on macOS, including the final zero. */
const LONGEST_SOCKET_PATH = 103;

/**
 * The directory of the store's socket: inside the store's directory, unless the path is too long for a socket address.
 * Then it is a new one (mode 0700, as created by mkdtemp) in the system's temporary directory.
 */
export function socketDirectory(storeDir: string): { path: string; temporary: boolean } {
  const path = join(storeDir, 'socket');
  return Buffer.byteLength(join(path, SOCKET_NAME)) <= LONGEST_SOCKET_PATH
    ? { path, temporary: false }
    : { path: mkdtempSync(join(tmpdir(), 'fanion-')), temporary: true };
}
