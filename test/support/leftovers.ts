import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Gives all workers of a run one folder for temporary files, and removes it at the end, with the processes that are noted
 * in it: what a worker starts once and shares among its test files ends with the run. The name is short, since the paths of
 * Unix sockets are.
 */
export default function setUp(): (() => Promise<void>) | undefined {
  // Vitest calls this once for the run and once for each project.
  if (process.env.FANION_TEST_FOLDER !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'ft-'));
  // PostgreSQL refuses root and runs as nobody, who has to reach its directory.
  chmodSync(folder, 0o755);
  process.env.FANION_TEST_FOLDER = folder;
  process.env.TMPDIR = folder;
  process.env.FANION_TEST_FOLDER = folder;
  return async () => {
    for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.pid'))) end(join(folder, name));
    await remove(folder);
  };
}

/** Embedded stores save what they have when their worker ends, so files appear for a moment more. */
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
