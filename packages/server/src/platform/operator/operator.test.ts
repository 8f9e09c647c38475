import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { socketAddress } from './address.ts';
import { askOperator, NoServer, type OperatorCommand, openOperatorSocket } from './index.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fanion-operator-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
});

async function open(commands: Readonly<Record<string, OperatorCommand>>, dir = dataDir) {
  const socket = await openOperatorSocket(dir, commands);
  onTestFinished(() => socket.close());
  return socket;
}

/** Sends bytes as they are and returns the answer. */
async function send(bytes: string): Promise<string> {
  const socket = connect(await socketAddress(dataDir));
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await new Promise((resolve) => socket.on('close', resolve));
  return answer;
}

const count: OperatorCommand = async (given, { progress }) => {
  progress(1);
  progress(2);
  return { given };
};

it('runs a command, and reports how far it is', async () => {
  await open({ count });
  const reports: unknown[] = [];
  const done = await askOperator(dataDir, { command: 'count', arguments: { to: 2 } }, (report) => reports.push(report));
  expect([reports, done]).toEqual([[1, 2], { given: { to: 2 } }]);
});

it('is open to the user of the server only', async () => {
  await open({ count });
  expect(statSync(join(dataDir, 'operator.sock')).mode & 0o777).toBe(0o600);
});

it('works in a directory too deep for a socket address', async () => {
  const deep = join(dataDir, 'x'.repeat(60), 'y'.repeat(60));
  mkdirSync(deep, { recursive: true });
  const socket = await open({ count }, deep);
  const address = await socketAddress(deep);
  expect(statSync(address).mode & 0o777).toBe(0o600);
  expect(await askOperator(deep, { command: 'count', arguments: 1 }, () => {})).toEqual({ given: 1 });
  await socket.close();
  expect([existsSync(address), existsSync(join(deep, 'operator.sock'))]).toEqual([false, false]);
});

it('passes the reason of a failure on', async () => {
  await open({ fail: () => Promise.reject(new Error('the disk is full')) });
  await expect(askOperator(dataDir, { command: 'fail', arguments: {} }, () => {})).rejects.toThrow('the disk is full');
});

it.each([
  ['{"command":\n', 'malformed request'],
  ['[]\n', 'malformed request'],
  ['{"command":"toString"}\n', 'does not know the command'],
  [`${'x'.repeat(100_000)}\n`, ''],
])('rejects %#', async (bytes, message) => {
  await open({ count });
  expect(await send(bytes)).toContain(message);
  expect(await askOperator(dataDir, { command: 'count', arguments: 1 }, () => {})).toEqual({ given: 1 });
});

it('aborts a command whose process has gone', async () => {
  const aborted = new Promise((resolve) => {
    void open({
      wait: (_, { signal, progress }) => {
        progress('started');
        return new Promise(() => signal.addEventListener('abort', () => resolve(signal.reason.message)));
      },
    }).then(async () => {
      const socket = connect(await socketAddress(dataDir));
      socket.once('data', () => socket.destroy());
      socket.write('{"command":"wait"}\n');
    });
  });
  expect(await aborted).toBe('the command was ended');
});

it('tells that no server runs, also where a killed one left its socket', async () => {
  await expect(askOperator(dataDir, { command: 'count', arguments: {} }, () => {})).rejects.toBeInstanceOf(NoServer);
  writeFileSync(join(dataDir, 'operator.sock'), '');
  await expect(askOperator(dataDir, { command: 'count', arguments: {} }, () => {})).rejects.toBeInstanceOf(NoServer);
  await open({ count });
  expect(await askOperator(dataDir, { command: 'count', arguments: 1 }, () => {})).toEqual({ given: 1 });
});

it('ends a command whose caller has aborted it', async () => {
  let isEnded = false;
  const wait: OperatorCommand = async (_given, { progress, signal }) => {
    progress('waiting');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    isEnded = true;
    return null;
  };
  await open({ wait });
  const abort = new AbortController();
  const asked = askOperator(dataDir, { command: 'wait', arguments: {} }, () => abort.abort(), abort.signal);
  await expect(asked).rejects.toThrow('the server ended before it had answered');
  await expect.poll(() => isEnded).toBe(true);
});
