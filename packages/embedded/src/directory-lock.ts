import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { acquireLockFile, LockedError } from './lock-file.ts';

/**
 * Makes this process the only owner of a data directory, and creates it (mode 0700) if missing. A lock left by kill -9
 * or a reboot is detected and replaced.
 * @throws Error that names the owner's pid if another live process owns the directory.
 */
export function lockDataDirectory(dir: string): { release(): void } {
  const path = resolve(dir);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  try {
    return acquireLockFile(join(path, 'fanion.lock'));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(
      `The data directory ${path} is in use by process ${error.owner.pid}. ` +
        'Stop that process, or give this one a data directory of its own.',
    );
  }
}
