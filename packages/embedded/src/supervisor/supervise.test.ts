import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startControlStore } from '../control/start.ts';
import { identifyProcess, isAlive } from '../process-identity.ts';
import { startTelemetryStore } from '../telemetry/start.ts';
import { clientOf } from '../testing/clickhouse.ts';
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

/** Priorities of the threads of a process by their names (Linux). */
function threadsOf(pid: number): { name: string; priority: number }[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trimEnd();
      return [{ name, priority: getPriority(Number(thread)) }];
    } catch {
      return []; // It has just ended.
    }
  });
}

test('the telemetry store has a lower priority than its server, and its merges a lower one than its reads', async () => {
  const watchdog = { everyMs: 50, timeoutMs: 15_000 };
  const store = await startTelemetryStore({ dir: temporaryDirectory(), log: rememberingLog(), watchdog });
  const pid = store.pid() ?? 0;
  const own = getPriority();
  const below = (steps: number) => Math.min(19, own + steps);
  expect(getPriority(pid)).toBe(below(5));
  if (process.platform === 'linux') {
    expect(threadsOf(pid).filter(({ priority }) => priority >= own && priority < below(5))).toEqual([]);
    const client = clientOf(store.url);
    // The engine starts the threads for merges with its first table.
    await client.command({ query: 'CREATE TABLE t (a Int64) ENGINE = MergeTree ORDER BY a' });
    await client.close();
    await until(() => {
      const merges = threadsOf(pid).filter(({ name }) => name === 'MergeMutate');
      return merges.length > 0 && merges.every(({ priority }) => priority === below(10));
    });
  }
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
