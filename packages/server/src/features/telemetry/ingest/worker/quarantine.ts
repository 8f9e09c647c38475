import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Keeps acknowledged data that cannot be stored, so that it is neither lost nor blocks other data. */
export interface Quarantine {
  /** Writes the bytes and the reason beside them. Replaces an existing entry of that name, so a replay adds nothing. */
  put(name: string, bytes: Uint8Array, reason: Record<string, string | number>): Promise<void>;
}

/** Beyond this size only the reasons are kept: an error in every request must not fill the disk. */
const MAX_FILES = 2000;

export async function openQuarantine(dir: string): Promise<Quarantine> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  let files = readdirSync(dir).length;
  return {
    async put(name, bytes, reason) {
      files += 2;
      if (files > MAX_FILES * 2) return;
      if (files <= MAX_FILES) await writeFile(join(dir, `${name}.bin`), bytes, { mode: 0o600 });
      await writeFile(join(dir, `${name}.json`), `${JSON.stringify(reason, undefined, 2)}\n`, { mode: 0o600 });
    },
  };
}
