import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLockFile, LockedError, type LockFile } from './lock-file.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

/** Inside of a store's directory: who has it open. */
export const STORE_LOCK = 'store.lock';
/** Inside of the control store's directory: PostgreSQL's own files. */
export const DATABASE_FOLDER = 'pgdata';

const ORPHAN_DEADLINE_MS = 10_000;

/**
 * Called by a store's child process before it opens its files: makes it the directory's only owner.
 * A child whose parent was killed while it was itself too busy to notice may still be writing here; it is
 * of no use to anybody and is killed. (Two PGlites on one directory would silently lose one's rows.)
 * @throws Error that names the pid when the owner's parent still lives.
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

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
