import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { acquireLockFile, LockedError, readOwner } from './lock-file.ts';
import { isAlive } from './process-identity.ts';

const nameOfLock = 'fanion.lock';

/**
 * Makes this process the only owner of a data directory, and creates it (mode 0700) if missing. A lock left by kill -9
 * or a reboot is detected and replaced.
 * @throws Error that names the owner's pid if another live process owns the directory.
 */
export function lockDataDirectory(dir: string): { release(): void } {
  const path = resolve(dir);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  try {
    return acquireLockFile(join(path, nameOfLock));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(
      `The data directory ${path} is in use by process ${error.owner.pid}. ` +
        'Stop that process, or give this one a data directory of its own.',
    );
  }
}

/** The process that owns a data directory, or has left its lock there. */
export function ownerOfDataDirectory(dir: string): { readonly pid: number; readonly isAlive: boolean } | undefined {
  const owner = readOwner(join(resolve(dir), nameOfLock));
  return owner && { pid: owner.pid, isAlive: isAlive(owner) };
}
