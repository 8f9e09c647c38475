import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rememberingLog, temporaryDirectory, until } from '../testing/temporary.ts';
import { BALLAST_FILE, keepBallast } from './ballast.ts';

test('deletes the ballast when the disk is nearly full, and creates it again when there is plenty of space', async () => {
  const dir = temporaryDirectory();
  const path = join(dir, BALLAST_FILE);
  const log = rememberingLog();
  let free = 1_000_000;
  let room = 0;
  let looks = 0;
  const ballast = keepBallast({
    dir,
    bytes: 10_000,
    lowBytes: 5_000,
    everyMs: 5,
    onRoom: () => room++,
    log,
    freeBytes: async () => {
      looks++;
      return free;
    },
  });
  onTestFinished(() => ballast.stop());
  await until(() => existsSync(path) && statSync(path).size === 10_000);
  free = 4_999;
  await until(() => !existsSync(path) && log.lines.some((line) => line.startsWith('the disk is full')));
  expect(room).toBe(0);
  // The space of the ballast does not count as free yet.
  free = 14_999;
  const before = looks;
  await until(() => looks > before + 1);
  expect(room).toBe(0);
  free = 15_000;
  await until(() => room === 1);
  expect(existsSync(path)).toBe(false);
  free = 40_001;
  await until(() => existsSync(path) && statSync(path).size === 10_000);
  expect(room).toBe(1);
});
