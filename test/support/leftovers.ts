import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { newFolderInMemory } from './memory-folder.ts';

/**
 * Gives all workers of a run one folder for temporary files, in memory unless `TMPDIR` says where they go. At the end it
 * removes the folder and ends the processes that are noted in it: those that a worker starts once and shares among its
 * test files. The name is short, since paths of Unix sockets must be.
 */
export default function setUp(): (() => Promise<void>) | undefined {
  // Vitest calls this once for the run and once for each project.
  if (process.env.FANION_TEST_FOLDER !== undefined) return undefined;
  const inMemory = process.env.TMPDIR === undefined ? newFolderInMemory() : undefined;
  const folder = inMemory ?? mkdtempSync(join(tmpdir(), 'ft-'));
  // PostgreSQL rejects root and runs as nobody, who must be able to read its directory.
  chmodSync(folder, 0o755);
  process.env.FANION_TEST_FOLDER = folder;
  process.env.TMPDIR = folder;
  process.env.FANION_TEST_FOLDER = folder;
  return async () => {
    for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.pid'))) end(join(folder, name));
    await remove(folder);
  };
}

/** Embedded stores write files for a moment after their worker ends. */
async function remove(folder: string): Promise<void> {
  for (let retries = 100; ; retries--) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (retries === 0 || (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
      await delay(200);
    }
  }
}

function end(pidFile: string): void {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  } catch (error) {
    // It has ended with its worker.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
