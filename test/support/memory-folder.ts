import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** For the files of a run at a time. */
const FILES_BYTES = 6 * 1024 ** 3;
/** For everything else that a run keeps in memory. */
const OTHER_BYTES = 6 * 1024 ** 3;

/**
 * A new folder in a file system in memory: the stores sync what they acknowledge, and tests would wait for the disk.
 * Undefined where there is none with enough room from which programs can run. Folders of processes that have ended
 * without removing theirs are removed.
 */
export function newFolderInMemory(root = '/dev/shm', freeMemory = freemem()): string | undefined {
  let folder: string | undefined;
  try {
    for (const name of readdirSync(root))
      if (isAbandoned(name)) rmSync(join(root, name), { recursive: true, force: true });
    const { bavail, bsize } = statfsSync(root);
    if (bavail * bsize < FILES_BYTES || freeMemory < FILES_BYTES + OTHER_BYTES) return undefined;
    folder = mkdtempSync(join(root, `ft-${process.pid}-`));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    if (spawnSync(program).status === 0) return folder;
  } catch {
    // There is none, or it belongs to somebody else.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true });
  return undefined;
}

function isAbandoned(name: string): boolean {
  const [, pid] = /^ft-(\d+)-\w+$/.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
