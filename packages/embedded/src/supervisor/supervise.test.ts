import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startControlStore } from '../control/start.ts';
import { identifyProcess, isAlive } from '../process-identity.ts';
import { startTelemetryStore } from '../telemetry/start.ts';
import { rememberingLog, temporaryDirectory, until } from '../testing/temporary.ts';
import { backoffMs } from './backoff.ts';
import { compiledEntry } from './compiled-entry.ts';

/** Starts a process that starts a store; returns the pids of both. */
async function parentOf(start: 'startTelemetryStore' | 'startControlStore', dir: string) {
  const module = pathToFileURL(compiledEntry('../index.ts', import.meta.url)).href;
  const script = `import(${JSON.stringify(module)}).then(async (embedded) => {
    const quiet = () => {};
    const log = { info: quiet, warn: quiet, error: quiet };
    const store = await embedded.${start}({ dir: ${JSON.stringify(dir)}, log });
    console.log(store.pid());
  })`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const said = await new Promise<string>((resolve) => parent.stdout.once('data', (data) => resolve(String(data))));
  const child = identifyProcess(Number(said));
  if (!child) throw new Error('the child is not there');
  return { parent, child };
}

test.each(['startTelemetryStore', 'startControlStore'] as const)(
  'a parent that is killed takes the child of %s with it',
  async (start) => {
    const { parent, child } = await parentOf(start, temporaryDirectory());
    parent.kill('SIGKILL');
    await until(() => !isAlive(child));
  },
);

test('the next start kills a child that was stuck when its parent died', async () => {
  const dir = temporaryDirectory();
  const { parent, child } = await parentOf('startControlStore', dir);
  process.kill(child.pid, 'SIGSTOP');
  parent.kill('SIGKILL');
  await new Promise((resolve) => parent.once('exit', resolve));
  expect(isAlive(child)).toBe(true);
  const store = await startControlStore({ dir, log: rememberingLog() });
  expect(isAlive(child)).toBe(false);
  await store.stop();
});

test('a failing start reports its reason at once', async () => {
  const store = await startTelemetryStore({ dir: temporaryDirectory(), log: rememberingLog() });
  const port = Number(new URL(store.url).port);
  const second = startTelemetryStore({ dir: temporaryDirectory(), port, log: rememberingLog() });
  await expect(second).rejects.toThrow('EADDRINUSE');
  await store.stop();
});

test('all threads of the telemetry store have a lower priority than its server', async () => {
  const store = await startTelemetryStore({ dir: temporaryDirectory(), log: rememberingLog() });
  const pid = store.pid() ?? 0;
  const threads = process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
  const priorities = threads.map((thread) => getPriority(thread));
  const [own, expected] = [getPriority(), Math.min(19, getPriority() + 5)];
  expect(getPriority(pid)).toBe(expected);
  expect(priorities.filter((priority) => priority >= own && priority < expected)).toEqual([]);
  await store.stop();
});

test('pauses between restarts grow up to a limit', () => {
  expect([1, 2, 3, 4, 5, 20].map(backoffMs)).toEqual([0, 100, 200, 400, 800, 10_000]);
});

test('the entry of a child is always the compiled one', () => {
  expect(compiledEntry('./child.ts', 'file:///src/embedded/src/telemetry/start.ts')).toBe(
    '/src/embedded/dist/telemetry/child.js',
  );
  expect(compiledEntry('./child.ts', 'file:///src/embedded/dist/telemetry/start.js')).toBe(
    '/src/embedded/dist/telemetry/child.js',
  );
});
