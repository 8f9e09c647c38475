import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newFolderInMemory } from './support/memory-folder.ts';

const MUCH = 64 * 1024 ** 3;

describe('the folder in memory for the files of a run', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'memory-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('is not used without the memory, or without such a file system', () => {
    expect(newFolderInMemory(root, 8 * 1024 ** 3)).toBeUndefined();
    expect(newFolderInMemory(join(root, 'nowhere'), MUCH)).toBeUndefined();
  });

  it('replaces folders of processes that have ended, and leaves all others', () => {
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const [abandoned = '', ...others] = [`ft-${ended}-a1B2c3`, `ft-${process.ppid}-a1B2c3`, 'ft-notes', 'other'].map(
      (name) => join(root, name),
    );
    for (const folder of [abandoned, ...others]) mkdirSync(folder);
    newFolderInMemory(root, 0);
    expect(existsSync(abandoned)).toBe(false);
    expect(others.filter((folder) => !existsSync(folder))).toEqual([]);
  });
});
