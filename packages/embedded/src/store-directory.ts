import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLockFile, LockedError, type LockFile } from './lock-file.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

/** File in a store's directory that names its owner. */
const STORE_LOCK = 'store.lock';
/** Folder in the control store's directory with PostgreSQL's own files. */
export const DATABASE_FOLDER = 'pgdata';

const ORPHAN_DEADLINE_MS = 10_000;

/**
 * Makes a store's child process the only owner of its directory, before it opens its files. A child whose parent was
 * killed, and which was too busy to notice, may still be writing here; it is useless and is killed. (With two PGlites
 * on one directory, the rows of one would silently be lost.)
 * @throws Error that names the pid if the owner's parent is still alive.
 */
export async function claimStoreDirectory(dir: string, parent: ProcessIdentity): Promise<LockFile> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, STORE_LOCK);
  const deadline = Date.now() + ORPHAN_DEADLINE_MS;
  for (;;) {
    try {
      return acquireLockFile(path, parent);
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      const orphan = error.owner.parent !== undefined && !isAlive(error.owner.parent);
      if (!orphan || Date.now() > deadline) {
        throw new Error(`The store in ${dir} is already open in process ${error.owner.pid}.`);
      }
      killIfThere(error.owner.pid);
      await delay(20);
    }
  }
}

/**
 * Makes this process the owner of a store that does not run. Its child process may outlive a killed server by a moment.
 * @throws Error that names the owner if it runs
 */
export function lockStoppedStore(dir: string): LockFile {
  try {
    return acquireLockFile(join(dir, STORE_LOCK));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(`The store in ${dir} is running in process ${error.owner.pid}; stop it first.`);
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
