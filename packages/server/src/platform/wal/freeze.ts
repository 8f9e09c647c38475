import { link, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Segment } from './segment-log.ts';

/** What was acknowledged before one moment and was not stored by then, in the layout of the log's directory. */
export interface FrozenLog {
  readonly dir: string;
  readonly segments: number;
  readonly bytes: number;
}

/** Links closed segments, which do not change any more, and what was set aside. */
export async function linkLog(dir: string, segments: readonly Segment[], name: string): Promise<FrozenLog> {
  const target = join(frozenDirectory(dir), name);
  await mkdir(join(target, 'quarantine'), { recursive: true, mode: 0o700 });
  let linked = 0;
  let bytes = 0;
  for (const segment of segments) {
    if (!(await linkUnlessGone(segment.path, join(target, `${segment.id}.wal`)))) continue;
    linked++;
    bytes += segment.bytes;
  }
  // After the segments: one that is set aside meanwhile is found here.
  for (const file of await readdir(join(dir, 'quarantine')))
    await linkUnlessGone(join(dir, 'quarantine', file), join(target, 'quarantine', file));
  return { dir: target, segments: linked, bytes };
}

/** False if the file has been removed meanwhile: its rows are stored. */
async function linkUnlessGone(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Removes what was frozen: all, or under one name. */
export async function removeFrozenLog(dir: string, name = ''): Promise<void> {
  await rm(join(frozenDirectory(dir), name), { recursive: true, force: true });
}

function frozenDirectory(dir: string): string {
  return join(dir, 'frozen');
}
