import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { layInitialStores } from '../../packages/server/src/testing/initial-stores.ts';
import { signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { logsRequest, nanos } from '../../packages/telemetry/src/testing/otlp.ts';
import { freePort, serveProcess } from '../support/server-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(root, 'packages/cli/dist/main.js');

const started = new Set<number>();
afterEach(() => {
  for (const pid of started) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  started.clear();
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

/** A process and all its descendants so far. */
function familyOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const of = (parent: number): number[] => [
    parent,
    ...pairs.flatMap(([child, itsParent]) => (itsParent === parent && child !== undefined ? of(child) : [])),
  ];
  const family = of(pid);
  for (const one of family) started.add(one);
  return family;
}

async function launch(command: string, args: readonly string[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-parents-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  await layInitialStores(dataDir);
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const child: ChildProcess = spawn(command, args, {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: '',
      FANION_DATA_DIR: dataDir,
      FANION_PORT: String(port),
      FANION_OTLP_HTTP_PORT: '0',
      FANION_OTLP_GRPC_PORT: '0',
      FANION_FLAGD_PORT: '0',
      FANION_FLAGD_SYNC_PORT: '0',
      FANION_ENGINE_MEMORY: '2GiB',
      FANION_LOG_LEVEL: 'warn',
    },
    // Like a terminal: neither empty nor closed.
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start`);
  started.add(pid);
  await until(() =>
    fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { base, dataDir, pid, port };
}

/** Signs up and sends a log record that is acknowledged. */
async function acknowledge(base: string) {
  const ada = await signUp(base, 'ada');
  const sender = testClient(base, { bearer: await ada.token(['telemetry:ingest']) });
  const record = { timeUnixNano: nanos(Date.now()), body: { stringValue: 'kept' } };
  expect((await sender.post('/v1/logs', logsRequest([record]))).status).toBe(200);
  return ada;
}

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'npm start leaves no process behind after %s, and keeps what was acknowledged',
  async (signal) => {
    const { base, dataDir, pid, port } = await launch('npm', ['start']);
    const ada = await acknowledge(base);
    const family = familyOf(pid);
    expect(family.length).toBeGreaterThanOrEqual(4);
    process.kill(pid, signal);
    await until(async () => !family.some(isRunning));

    const again = await serveProcess(dataDir, port);
    onTestFinished(() => again.end('SIGTERM'));
    const client = testClient(again.base, { cookie: ada.cookie });
    await until(async () => {
      const answer = await client.post(`${ada.workspace}/query`, {
        query: 'logs | where body == "kept" | stats n=count()',
      });
      return answer.data?.rows?.[0]?.[0] === 1;
    });
  },
);

it('fanion stores ends with the shell that waits for it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-parents-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const { npm_lifecycle_event: _, ...env } = process.env;
  const child = spawn('sh', ['-c', `"${process.execPath}" "${cli}" stores --data "${dataDir}"; true`], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await until(async () => output.includes('CLICKHOUSE_URL'));
  const family = familyOf(child.pid ?? 0);
  expect(family).toHaveLength(4);
  child.kill('SIGKILL');
  await until(async () => !family.some(isRunning));
});
