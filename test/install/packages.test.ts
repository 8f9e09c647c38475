import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { nanos, tracesRequest } from '../../packages/telemetry/src/testing/otlp.ts';
import { freePort, type ServerProcess, serveProcess, startProcess } from '../support/server-process.ts';
import { startSharedStores } from '../support/shared-stores.ts';

/** The published packages, installed from their tarballs into an empty folder. */
const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'fanion-install-'));
const tarballs = join(directory, 'tarballs');
const folder = join(directory, 'folder');
const fanion = join(folder, 'node_modules/@fanion/cli/dist/main.js');
// The variables of the npm that runs the tests would point this one at the repository.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
const packages = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
);

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', args, { cwd, env, maxBuffer: 64 * 1024 ** 2 });
  return stdout;
}

async function install(accept: (tarball: string) => boolean): Promise<void> {
  const files = readdirSync(tarballs)
    .filter(accept)
    .map((name) => join(tarballs, name));
  await npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', '--silent', ...files);
}

function mebibytes(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).blocks / 2048, 0);
}

/** Signs up, sends a span and evaluates a flag. */
async function use(server: ServerProcess): Promise<void> {
  const page = await fetch(server.base);
  expect(await page.text()).toContain('<title>Fanion');
  const user = await signUp(server.base);
  const now = nanos(Date.now());
  const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  const request = tracesRequest([{ ...ids, name: 'GET /basket', startTimeUnixNano: now, endTimeUnixNano: now }]);
  const sent = await fetch(`${server.base}/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await user.token(['telemetry:ingest'])}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(request),
  });
  expect(sent.status, await sent.text()).toBe(200);
  await until(async () => {
    const answer = await user.post(`${user.workspace}/query`, {
      query: 'spans | stats n=count() by name',
      to: 'now+5m',
    });
    return answer.data?.rows?.[0]?.[0] === 'GET /basket';
  });
  const made = await user.post(`${user.project}/flags`, { key: 'basket', name: 'Basket', kind: 'boolean' });
  expect(made.status, made.text).toBe(201);
}

beforeAll(async () => {
  mkdirSync(tarballs);
  mkdirSync(folder);
  await npm(root, 'pack', '--workspaces', '--silent', '--pack-destination', tarballs);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('published packages', () => {
  it.each(packages)('%s contains what it exports, and no tests', async (name) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ license: 'Apache-2.0', engines: { node: '>=20.20.0' } });
    const tarball = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    const { stdout } = await run('tar', ['-tzf', join(tarballs, tarball)]);
    const files = stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''));
    const exported = JSON.stringify([manifest.exports ?? {}, manifest.bin ?? {}]).match(/"\.\/[^"]+\.\w+"/g) ?? [];
    const paths = exported.map((path: string) => path.slice(3, -1));
    expect(files).toEqual(
      expect.arrayContaining(['package.json', 'README.md', ...paths.filter((path) => path !== '')]),
    );
    expect(files.filter((path) => /(^|\/)LICENSE$/.test(path))).not.toEqual([]);
    expect(files.filter((path) => /\.test\.|\/testing\/|\/fixtures\/|^src\/|tsbuildinfo/.test(path))).toEqual([]);
  });
});

describe('@fanion/cli, without the engine', () => {
  beforeAll(() => install((name) => !/^fanion-(sdk-)?\d/.test(name)));

  it('takes less than 250 MB', () => {
    expect(existsSync(join(folder, 'node_modules/chdb'))).toBe(false);
    expect(mebibytes(join(folder, 'node_modules'))).toBeLessThan(238);
  });

  it('says what is missing when it should run the embedded telemetry store', async () => {
    const { child, output } = startProcess(
      ['serve'],
      { FANION_DATA_DIR: join(directory, 'none'), FANION_PORT: '0' },
      { program: fanion },
    );
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(output()).toContain('needs the package "chdb", which is not installed: install "fanion"');
    expect(code).toBe(1);
  });

  it('serves with PostgreSQL and ClickHouse', async () => {
    const stores = await startSharedStores();
    try {
      const server = await serveProcess(join(stores.directory, 'slim'), await freePort(), stores.env, fanion);
      await use(server);
      await server.end('SIGTERM');
    } finally {
      await stores.stop();
    }
  });
});

it('fanion runs in an empty folder, without arguments', async () => {
  await install((name) => /^fanion-/.test(name) && !name.startsWith('fanion-sdk'));
  const port = await freePort();
  const settings = {
    FANION_PORT: String(port),
    FANION_OTLP_HTTP_PORT: '0',
    FANION_OTLP_GRPC_PORT: '0',
    FANION_FLAGD_PORT: '0',
    FANION_FLAGD_SYNC_PORT: '0',
  };
  const child = startProcess([], settings, {
    program: join(folder, 'node_modules/fanion/bin/fanion.mjs'),
    cwd: folder,
  });
  const base = `http://127.0.0.1:${port}`;
  await until(async () => child.output().includes(`Fanion is ready: ${base}`), 100_000);
  await use({ base, ...child });
  await child.end('SIGTERM');
  expect(readdirSync(join(folder, 'data'))).toEqual(expect.arrayContaining(['control', 'telemetry']));
});
