import { realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** In the data directory. Mode 0600: whoever may open it may do everything with the data anyway. */
export const SOCKET = 'operator.sock';
/** `sockaddr_un` has 108 bytes on Linux and 104 on macOS, including the final zero. */
export const LONGEST_SOCKET_PATH = 103;
/** Of a line of the protocol. */
export const LONGEST_LINE = 64 * 1024;

/** The path to connect to. Where that in the data directory is too long, a symbolic link there leads to a shorter one. */
export async function socketAddress(dataDir: string): Promise<string> {
  const path = join(dataDir, SOCKET);
  return Buffer.byteLength(path) <= LONGEST_SOCKET_PATH ? path : realpath(path);
}

/** A line of JSON each. The client sends one request; the server answers with any number of reports and one end. */
export interface OperatorRequest {
  readonly command: string;
  readonly arguments: unknown;
}

export type OperatorAnswer =
  | { readonly progress: unknown }
  | { readonly done: unknown }
  /** What was wrong, for the person who asked. */
  | { readonly failed: string };
