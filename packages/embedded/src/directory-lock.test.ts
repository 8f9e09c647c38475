import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { lockDataDirectory } from './directory-lock.ts';
import { ownIdentity } from './process-identity.ts';
import { compiledEntry } from './supervisor/compiled-entry.ts';
import { temporaryDirectory, until } from './testing/temporary.ts';

/** Starts another process that takes the lock; resolves when it has it, or with its error. */
async function otherOwner(dir: string) {
  const module = pathToFileURL(compiledEntry('./directory-lock.ts', import.meta.url)).href;
  const script = `import(${JSON.stringify(module)}).then(({ lockDataDirectory }) => {
    try { lockDataDirectory(${JSON.stringify(dir)}); console.log('locked'); setInterval(() => {}, 1000); }
    catch (error) { console.log(error.message); }
  })`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
  );
  return { said, pid: child.pid ?? 0, kill: () => child.kill('SIGKILL'), exited };
}

test('rejects a second owner and names the first, until the first has ended', async () => {
  const dir = join(temporaryDirectory(), 'new');
  const owner = await otherOwner(dir);
  expect(owner.said).toBe('locked');
  expect(() => lockDataDirectory(dir)).toThrow(`in use by process ${owner.pid}`);
  owner.kill();
  await owner.exited;
  const lock = lockDataDirectory(dir);
  const second = await otherOwner(dir);
  expect(second.said).toContain(`in use by process ${process.pid}`);
  lock.release();
  lock.release();
  expect(existsSync(join(dir, 'fanion.lock'))).toBe(false);
  expect((await otherOwner(dir)).said).toBe('locked');
});

test('one of several simultaneous owners wins', async () => {
  const dir = temporaryDirectory();
  const owners = await Promise.all(Array.from({ length: 4 }, () => otherOwner(dir)));
  expect(owners.filter(({ said }) => said === 'locked')).toHaveLength(1);
});

test.each([
  ['an earlier boot', () => ({ ...ownIdentity(), boot: 'an earlier one' })],
  ['a process that had the same pid', () => ({ ...ownIdentity(), started: '1' })],
])('a lock of %s is replaced', (_, owner) => {
  const dir = temporaryDirectory();
  writeFileSync(join(dir, 'fanion.lock'), JSON.stringify(owner()));
  lockDataDirectory(dir).release();
});

test('replaces a torn lock, and a claim whose process has died', async () => {
  const dir = temporaryDirectory();
  writeFileSync(join(dir, 'fanion.lock'), '{"pid":');
  lockDataDirectory(dir).release();
  await until(() => !existsSync(join(dir, 'fanion.lock.claim')));
});
