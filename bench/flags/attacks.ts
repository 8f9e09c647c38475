import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { postRequest } from '../support/load.ts';
import { type Quantiles, quantiles } from './quantiles.ts';

const seconds = Number(process.env.SECONDS ?? 3);
const perSecond = Number(process.env.RATE ?? 200);
const only = process.env.ONLY ?? '';
/** Fewer say nothing about a p99. */
const leastSamples = 500;

interface Attack {
  readonly name: string;
  readonly connections: number;
  /** The bytes of one request. */
  readonly request: Buffer;
  /** Sends one byte a second of the body instead of all of it. */
  readonly slow?: boolean;
  /** The status of all answers. Without it, any: most attacks are requests that the server rejects. */
  readonly status?: number;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Attacked {
  readonly name: string;
  readonly attacks: readonly Attack[];
  readonly port: number;
  /** Times since the call before. */
  seen(): Promise<Quantiles>;
  /** Since the call before, the longest processor time of the thread that evaluates between two turns of its event loop, in milliseconds. */
  longestBlock(): Promise<number>;
  end(): Promise<void>;
}

interface Measured extends Quantiles {
  readonly block: number;
}

/**
 * OFREP evaluations of one flag at a fixed rate from another process, first alone and then beside each attack on the thread
 * that evaluates: bodies that are expensive to read, from callers with and without credentials. Both ways to evaluate, in turns;
 * loopback only.
 */
export async function attacks(): Promise<void> {
  const servers = [
    await start('in the server', {}),
    await start('in a separate process', { FANION_EVALUATION_PROCESS: 'on' }),
  ];
  try {
    console.log(`\n## ${perSecond} evaluations per second beside attacks, ${seconds} s each\n`);
    console.log('| while | evaluation | samples | p50 | p99 | longest | p50 to idle | p99 to idle | block | answers |');
    console.log('|---|---|---|---|---|---|---|---|---|---|');
    await wait(2_000);
    const measured = async ({ seen, longestBlock }: Attacked): Promise<Measured> => {
      await seen();
      await longestBlock();
      await wait(seconds * 1000);
      return { ...(await seen()), block: await longestBlock() };
    };
    const bases = new Map<Attacked, Measured>();
    for (const server of servers) bases.set(server, await measured(server));
    const print = (name: string, server: Attacked, { count, p50, p99, max, block }: Measured, answers = '') => {
      const ms = (value: number) => `${value.toFixed(2)} ms`;
      const samples = count < leastSamples ? `${count} (too few)` : String(count);
      const base = bases.get(server);
      const ratios = `${(p50 / (base?.p50 ?? 1)).toFixed(2)} | ${(p99 / (base?.p99 ?? 1)).toFixed(2)}`;
      console.log(
        `| ${name} | ${server.name} | ${samples} | ${ms(p50)} | ${ms(p99)} | ${ms(max)} | ${ratios} | ${ms(block)} | ${answers} |`,
      );
    };
    for (const [server, base] of bases) print('idle', server, base);
    const names = servers[0]?.attacks.map(({ name }) => name) ?? [];
    for (const name of names.filter((one) => one.includes(only)))
      for (const server of servers) {
        const attack = server.attacks.find((one) => one.name === name);
        if (attack === undefined) continue;
        const attackers = begin(attack, server.port);
        const result = await measured(server);
        print(name, server, result, await attackers.end());
        await wait(500);
      }
    for (const server of servers) print('idle again', server, await measured(server));
  } finally {
    for (const server of servers) await server.end();
  }
}

async function start(name: string, env: Readonly<Record<string, string>>): Promise<Attacked> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const port = await freePort();
  // More dashboards than an attack can save.
  const monitor = fileURLToPath(new URL('../support/block-monitor.cjs', import.meta.url));
  const blocksFile = join(dataDir, 'longest-block');
  const server = await serveProcess(dataDir, port, {
    FANION_DASHBOARDS: '100000',
    NODE_OPTIONS: `--require ${monitor}`,
    BLOCKS_FILE: blocksFile,
    ...env,
  });
  const user = await signUp(server.base);
  await user.post(`${user.project}/flags`, { key: 'flag', name: 'Flag', kind: 'boolean' });
  await user.post(`${user.project}/segments`, { key: 'used', name: 'Used' });
  const keys = { server: await user.sdkKey(), client: await user.sdkKey('production', { kind: 'client' }) };
  const path = '/ofrep/v1/evaluate/flags/flag';
  const context = { targetingKey: 'user-1', country: 'DE' };
  const sdk = testClient(server.base, { bearer: keys.server });
  await until(async () => (await sdk.post(path, { context })).status === 200);
  const wide = {};
  const tokens = {
    viewer: await user.token(['dashboards:read'], wide),
    editor: await user.token(['dashboards:read', 'dashboards:write', 'flags:read', 'flags:write'], wide),
  };

  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const request = rawRequest;
  const objects = (bytes: number) => `[${'{"a":1},'.repeat(Math.floor(bytes / 8))}0]`;
  const grafana = JSON.stringify({
    grafana: {
      title: 'Large',
      panels: Array.from({ length: 80_000 }, (_, id) => ({ id, type: 'text', options: { content: 'x' } })),
    },
  });
  const panel = (id: number) => ({
    id: `p${id}`,
    type: 'time_series',
    title: 'Requests',
    x: 0,
    y: id,
    w: 12,
    h: 4,
    query: `spans | where service.name == "${'s'.repeat(1_500)}" | stats n=count() by bucket(1m)`,
  });
  const dashboard = { name: 'Large', panels: Array.from({ length: 200 }, (_, id) => panel(id)) };
  const wrong = { variables: Object.fromEntries(Array.from({ length: 20_000 }, (_, id) => [`k${id}`, {}])) };
  const segment = { key: 'units', name: 'Units', included: Array.from({ length: 150_000 }, (_, id) => `unit-${id}`) };
  const writes = Array.from({ length: 1_000 }, (_, id) => ({
    write: 'create_flag',
    key: `f${id}`,
    name: 'F',
    kind: 'colour',
  }));
  const login = request('/api/v1/auth/login', objects(7_400_000));
  const contexts = (bytes: number, key: string) => request(path, `{"context":{"a":${objects(bytes)}}}`, bearer(key));
  const { workspace, project } = user;
  const all: readonly Attack[] = [
    { name: 'anonymous sign-in, 7.4 MB of small objects, 1 connection', connections: 1, request: login },
    { name: 'the same, 6 connections', connections: 6, request: login },
    {
      name: 'a route that answers 401, 7.4 MB, 6 connections',
      connections: 6,
      request: request(`${project}/flags`, objects(7_400_000)),
    },
    {
      name: 'an unknown path, 7.4 MB, 6 connections',
      connections: 6,
      request: request('/api/v1/nowhere', objects(7_400_000)),
    },
    {
      name: 'sign-in within its limit, 16 KB',
      connections: 6,
      request: request('/api/v1/auth/login', objects(16_000)),
    },
    { name: 'contexts of 1 MB with a server key', connections: 6, request: contexts(1_000_000, keys.server) },
    { name: 'contexts of 250 KB with a server key', connections: 6, request: contexts(250_000, keys.server) },
    { name: 'contexts of 60 KB with a client key', connections: 6, request: contexts(60_000, keys.client) },
    { name: 'contexts of 40 KB with a client key', connections: 6, request: contexts(40_000, keys.client) },
    {
      name: "a viewer's conversion of 80,000 panels",
      connections: 2,
      request: request(`${workspace}/dashboards/convert`, grafana, bearer(tokens.viewer)),
    },
    {
      name: "a viewer's 20,000 wrong variables",
      connections: 2,
      request: request(`${workspace}/dashboards/variables`, JSON.stringify(wrong), bearer(tokens.viewer)),
    },
    {
      name: 'saving dashboards of 200 panels',
      connections: 2,
      request: request(`${workspace}/dashboards`, JSON.stringify(dashboard), bearer(tokens.editor)),
      status: 201,
    },
    {
      name: 'segments of 150,000 units',
      connections: 2,
      request: request(`${project}/segments`, JSON.stringify(segment), bearer(tokens.editor)),
    },
    {
      name: 'replacing the 150,000 units of a segment',
      connections: 1,
      request: request(
        `${project}/segments/used`,
        JSON.stringify({ included: segment.included }),
        bearer(tokens.editor),
        'PATCH',
      ),
    },
    {
      name: 'batches of 1,000 wrong flags',
      connections: 2,
      request: request(`${project}/flag-batches`, JSON.stringify({ writes }), bearer(tokens.editor)),
    },
    { name: 'slow bodies, 200 connections', connections: 200, request: login, slow: true },
  ];

  const targets = [{ name: 'Fanion', port, request: postRequest(path, { context }, bearer(keys.server)) }];
  const script = fileURLToPath(new URL('../support/steady-client.mjs', import.meta.url));
  const client = fork(script, [JSON.stringify(targets), String(perSecond)]);
  return {
    name,
    attacks: all,
    port,
    async seen() {
      client.send('more');
      const [message] = await once(client, 'message');
      const [ours = []] = (message as { times: number[] }[]).map(({ times }) => times);
      return quantiles(ours);
    },
    async longestBlock() {
      rmSync(blocksFile, { force: true });
      server.child.kill('SIGUSR2');
      let text = '';
      await until(async () => {
        text = existsSync(blocksFile) ? readFileSync(blocksFile, 'utf8') : '';
        return text !== '';
      });
      return Number(text);
    },
    async end() {
      client.disconnect();
      await server.end('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function rawRequest(path: string, body: string, headers: Record<string, string> = {}, method = 'POST'): Buffer {
  const lines = Object.entries({
    Host: '127.0.0.1',
    'Content-Type': 'application/json',
    'Sec-Fetch-Site': 'same-origin',
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Attacks until `end`, which throws if an answer does not have the status of the attack. */
function begin({ name, connections, request, slow = false, status: wanted }: Attack, port: number) {
  const script = fileURLToPath(new URL('../support/attacker.mjs', import.meta.url));
  const attacker = fork(script, [], { serialization: 'advanced' });
  attacker.send({ port, connections, request, slow });
  return {
    async end(): Promise<string> {
      attacker.send('end');
      const [message] = await once(attacker, 'message');
      const statuses = message as [string, number][];
      const others = statuses.map(([status]) => status).filter((status) => status !== String(wanted));
      if (wanted !== undefined && others.length > 0)
        throw new Error(`${name}: expected only ${wanted}, got ${others.join(', ')}`);
      return statuses.map(([status, times]) => `${times} × ${status}`).join(', ') || 'none';
    },
  };
}
