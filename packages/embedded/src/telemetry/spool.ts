import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A folder for the bodies of inserts while the engine reads them. */
export interface Spool {
  /** Writes the stream to a file, passes its path to `use`, and always deletes it. */
  hold<Result>(
    body: Readable,
    signal: AbortSignal,
    use: (path: string, bytes: number) => Promise<Result>,
  ): Promise<Result>;
}

/** Opens the folder, and deletes what a killed process left in it: those inserts were never acknowledged. */
export async function openSpool(dir: string): Promise<Spool> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return {
    async hold(body, signal, use) {
      const path = join(dir, randomUUID());
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: 1 << 20 });
      try {
        await pipeline(body, file, { signal });
        return await use(path, file.bytesWritten);
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}
