import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestPostgres } from '../../packages/server/src/testing/test-database.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { load, median, postRequest } from '../support/load.ts';
import { binary, newerNode, skipped } from './peers.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 3);
const connections = 64;
const bulkFlags = 200;
const keys = Array.from({ length: bulkFlags }, (_, i) => `flag-${i}`);
const context = { targetingKey: 'user-1', country: 'DE', plan: 'pro' };
const countries = ['DE', 'AT'];

interface Contender {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly single: string;
  readonly bulk: string;
  /** Before the bulk rounds, where single ones are asked of a server with one flag. */
  readonly prepareBulk?: () => Promise<void>;
  /** Least ratios of its processor time to ours. */
  readonly target: { readonly single: number; readonly bulk: number };
  readonly stop: () => unknown;
}

async function fanion(): Promise<Contender & { answers: { single: string; bulk: string } }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const server = await serveProcess(dataDir, await freePort());
  const user = await signUp(server.base);
  for (const key of keys) {
    await user.post(`${user.project}/flags`, { key, name: key, kind: 'boolean' });
    await user.put(`${user.project}/environments/production/flags/${key}`, {
      enabled: true,
      off_variant: 'false',
      fallthrough: { variant: 'false' },
      targets: [],
      rules: [{ clauses: [{ attribute: 'country', op: 'in', values: countries }], variant: 'true' }],
      version: 0,
    });
  }
  const key = await user.sdkKey();
  const sdk = testClient(server.base, { bearer: key });
  const [single, bulk] = ['/ofrep/v1/evaluate/flags/flag-0', '/ofrep/v1/evaluate/flags'];
  await until(async () => (await sdk.post(single, { context })).json?.value === true);
  const headers = { authorization: `Bearer ${key}` };
  return {
    name: 'Fanion',
    port: Number(new URL(server.base).port),
    pid: server.child.pid ?? 0,
    single: postRequest(single, { context }, headers),
    bulk: postRequest(bulk, { context }, headers),
    target: { single: 1, bulk: 1 },
    answers: {
      single: (await sdk.post(single, { context })).text,
      bulk: (await sdk.post(bulk, { context })).text,
    },
    async stop() {
      await server.end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The limit: `node:http` alone, answering the same request with the same bytes. */
async function bare(ours: Awaited<ReturnType<typeof fanion>>, kind: 'single' | 'bulk'): Promise<Contender> {
  const script = fileURLToPath(new URL('../support/bare-server.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, Buffer.from(ours.answers[kind]).toString('base64')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return {
    name: 'bare `node:http`',
    port: Number(String(line)),
    pid: child.pid ?? 0,
    single: ours.single,
    bulk: ours.bulk,
    target: { single: 1 / 1.25, bulk: 0 },
    stop: () => child.kill(),
  };
}

/** The same server with a header that makes it leave the request to Node's HTTP server (decision 0036). */
function through(ours: Contender): Contender {
  const unusual = (request: string) => request.replace('\r\n', '\r\nUpgrade: none\r\n');
  return {
    ...ours,
    name: 'Fanion through `node:http`',
    single: unusual(ours.single),
    bulk: unusual(ours.bulk),
    target: { single: 1 / 0.75, bulk: 1 },
    stop() {},
  };
}

/**
 * Unleash's own endpoint for applications, `POST /api/frontend`. It has none for a single flag, so the first run has
 * one flag only.
 */
async function unleash(): Promise<Contender | undefined> {
  const node = newerNode();
  if (node === undefined) return undefined;
  const postgres = await startTestPostgres();
  const { connection } = postgres;
  const port = await freePort();
  const [admin, frontend] = ['*:*.benchadmin', 'default:development.benchpage'];
  const child = spawn(node, [fileURLToPath(new URL('../peers/unleash.mjs', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATABASE_HOST: 'host' in connection ? connection.host : '',
      DATABASE_USER: 'user' in connection ? connection.user : 'postgres',
      PORT: String(port),
      ADMIN_TOKEN: admin,
      FRONTEND_TOKEN: frontend,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const stop = async () => {
    child.kill('SIGKILL');
    await postgres.close();
  };
  await until(async () => output.includes('it listens') || child.exitCode !== null, 90_000);
  if (child.exitCode !== null) {
    skipped('unleash-server', `it ended: ${output.slice(-300)}`);
    await stop();
    return undefined;
  }
  const api = async (path: string, body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/admin/projects/default/features${path}`, {
      method: 'POST',
      headers: { authorization: admin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`unleash-server: ${path}: ${response.status} ${await response.text()}`);
  };
  const create = async (key: string) => {
    await api('', { name: key, type: 'release' });
    const constraints = [{ contextName: 'country', operator: 'IN', values: countries }];
    await api(`/${key}/environments/development/strategies`, { name: 'default', constraints, parameters: {} });
    await api(`/${key}/environments/development/on`, {});
  };
  const served = (count: number) =>
    until(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/api/frontend`, {
        method: 'POST',
        headers: { authorization: frontend, 'content-type': 'application/json' },
        body: JSON.stringify({ context: { userId: 'user-1', properties: context } }),
      });
      return ((await response.json()) as { toggles?: unknown[] }).toggles?.length === count;
    }, 60_000);
  await create(keys[0] ?? '');
  await served(1);
  const question = { context: { userId: 'user-1', properties: { country: 'DE', plan: 'pro' } } };
  const request = postRequest('/api/frontend', question, { authorization: frontend });
  return {
    name: 'unleash-server',
    port,
    pid: child.pid ?? 0,
    single: request,
    bulk: request,
    async prepareBulk() {
      for (const key of keys.slice(1)) await create(key);
      await served(bulkFlags);
    },
    target: { single: 6, bulk: 8 },
    stop,
  };
}

/** A server of OFREP that reads its flags from a file. */
async function fromFile(options: {
  name: string;
  variable: string;
  files: (port: number) => Readonly<Record<string, unknown>>;
  args: (directory: string, port: number, other: number) => readonly string[];
  /** Which of the two free ports answers. */
  answers: 'first' | 'second';
}): Promise<Contender | undefined> {
  const path = binary(options.name, options.variable);
  if (path === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'fanion-bench-peer-'));
  const [first, second] = [await freePort(), await freePort()];
  for (const [name, content] of Object.entries(options.files(first)))
    writeFileSync(join(directory, name), JSON.stringify(content));
  const child: ChildProcess = spawn(path, options.args(directory, first, second), { cwd: directory, stdio: 'ignore' });
  const port = options.answers === 'first' ? first : second;
  const [single, bulk] = ['/ofrep/v1/evaluate/flags/flag-0', '/ofrep/v1/evaluate/flags'];
  const client = (url: string) =>
    fetch(`http://127.0.0.1:${port}${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ context }),
    });
  await until(async () => {
    const answer = await client(single).catch(() => undefined);
    return answer?.ok === true && ((await answer.json()) as { value?: unknown }).value === true;
  }, 30_000);
  return {
    name: options.name,
    port,
    pid: child.pid ?? 0,
    single: postRequest(single, { context }),
    bulk: postRequest(bulk, { context }),
    target: { single: 1, bulk: 1 },
    stop() {
      child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const variations = { on: true, off: false };

const flagd = () =>
  fromFile({
    name: 'flagd',
    variable: 'FLAGD_BIN',
    files: () => ({
      'flags.json': {
        flags: Object.fromEntries(
          keys.map((key) => [
            key,
            {
              state: 'ENABLED',
              variants: variations,
              defaultVariant: 'off',
              targeting: { if: [{ in: [{ var: 'country' }, countries] }, 'on', 'off'] },
            },
          ]),
        ),
      },
    }),
    args: (directory, first, second) => [
      'start',
      '--uri',
      `file:${join(directory, 'flags.json')}`,
      '--port',
      String(first),
      '--ofrep-port',
      String(second),
      '--management-port',
      '0',
      '--sync-port',
      '0',
    ],
    answers: 'second',
  });

/** Its configuration and flags are YAML, which JSON is a part of. */
const goff = () =>
  fromFile({
    name: 'GO Feature Flag relay proxy',
    variable: 'GOFF_BIN',
    files: (port) => ({
      'goff.yaml': {
        server: { mode: 'http', port },
        loglevel: 'error',
        pollingInterval: 60_000,
        disableVersionHeader: true,
        retrievers: [{ kind: 'file', path: 'flags.yaml' }],
      },
      'flags.yaml': Object.fromEntries(
        keys.map((key) => [
          key,
          {
            variations,
            targeting: [{ query: `country in [${countries.map((each) => `"${each}"`).join(', ')}]`, variation: 'on' }],
            defaultRule: { variation: 'off' },
          },
        ]),
      ),
    }),
    args: (directory) => ['--config', join(directory, 'goff.yaml')],
    answers: 'first',
  });

/** One evaluation, and all 200 flags, over 64 connections; the servers take turns. */
export async function ofrep(): Promise<void> {
  console.log(`\n## Over HTTP, ${connections} connections, median of ${rounds} rounds of ${seconds} s in turns\n`);
  const ours = await fanion();
  const found = [through(ours), await unleash(), await flagd(), await goff()];
  const peers = found.filter((each) => each !== undefined);
  console.log('| request | server | per second | processor time per request | its time to ours | target |');
  console.log('|---|---|---|---|---|---|');
  for (const kind of ['single', 'bulk'] as const) {
    const limit = await bare(ours, kind);
    if (kind === 'bulk') for (const peer of peers) await peer.prepareBulk?.();
    const all: readonly Contender[] = [ours, limit, ...peers];
    const results = all.map((): Awaited<ReturnType<typeof load>>[] => []);
    for (let round = 0; round < rounds; round++)
      for (const [i, { port, pid, [kind]: request }] of all.entries())
        results[i]?.push(await load({ port, pid, request, connections, seconds }));
    const cpu = results.map((each) => median(each.map(({ cpuMicroseconds }) => cpuMicroseconds)));
    for (const [i, { name, target }] of all.entries()) {
      const perSecond = median((results[i] ?? []).map((result) => result.perSecond)).toFixed(0);
      const ratio = i === 0 ? '' : ((cpu[i] ?? 0) / (cpu[0] ?? 1)).toFixed(2);
      const wanted = i === 0 || target[kind] === 0 ? '' : `≥ ${target[kind]}`;
      const what = kind === 'single' ? 'one flag' : `${bulkFlags} flags`;
      console.log(`| ${what} | ${name} | ${perSecond} | ${cpu[i]?.toFixed(1)} µs | ${ratio} | ${wanted} |`);
    }
    await limit.stop();
  }
  for (const { stop } of [ours, ...peers]) await stop();
}
