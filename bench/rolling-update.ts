/**
 * Two servers on one PostgreSQL and one telemetry store, behind a load balancer that sends them requests all the time. Each is replaced
 * in turn: SIGTERM, then a new process on the same data directory. Prints the requests, those that failed, and what was stored of
 * the acknowledged telemetry. Exits with 1 if a request failed or telemetry was lost or doubled.
 *
 *     npx tsx bench/rolling-update.ts [--rate 500] [--rounds 3] [--from COMMIT]
 *
 * With `--from`, the first two servers are of an earlier commit, which is built first (about two minutes), and the new ones of this
 * checkout. A commit without the drain after SIGTERM is taken out of the balancer before it.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { connectDatabase } from '../packages/server/src/platform/postgres/database.ts';
import { signUp, stored, testClient, until } from '../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../test/flags/support.ts';
import { cli, freePort, type ServerProcess, serveProcess } from '../test/support/server-process.ts';
import { startSharedStores } from '../test/support/shared-stores.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '3' },
    from: { type: 'string' },
  },
});
const rate = Number(values.rate);
const tickMs = 20;
/** How often the balancer asks whether a server is ready, and how long it takes to believe that it is not. */
const probeMs = 500;

interface Backend {
  readonly server: ServerProcess;
  readonly agent: Agent;
  ready: boolean;
  /** Requests that it was given and has not answered. */
  open: number;
}

/** `packages/cli/dist/main.js` of an earlier commit. */
function buildOf(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fanion-earlier-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const root = fileURLToPath(new URL('..', import.meta.url));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  run('git', 'clone', '--quiet', '--no-checkout', root, '.');
  run('git', 'checkout', '--quiet', commit);
  run('npm', 'run', '--silent', 'build');
  return join(folder, 'packages/cli/dist/main.js');
}

const earlier = values.from === undefined ? cli : buildOf(values.from);
const drains = values.from === undefined || existsSync(join(earlier, '../../src/commands/drain.ts'));
const stores = await startSharedStores();
// It has the tables of this checkout, which an earlier version refuses.
if (values.from !== undefined) await emptyControlPlane();
const env = { ...stores.env, FANION_DRAIN_SECONDS: '3', FANION_RETENTION_DAYS: '30' };

async function emptyControlPlane(): Promise<void> {
  const { db, close } = connectDatabase(stores.database, { maxConnections: 1, timeoutMs: 20_000, onError: () => {} });
  await sql`DROP SCHEMA public CASCADE`.execute(db);
  await sql`CREATE SCHEMA public`.execute(db);
  await close();
}

async function start(name: string, program: string): Promise<Backend> {
  const server = await serveProcess(join(stores.directory, name), await freePort(), env, program);
  return { server, agent: new Agent({ keepAlive: true, maxSockets: 64 }), ready: true, open: 0 };
}
const backends = [await start('one', earlier), await start('two', earlier)];
const [first] = backends;
if (first === undefined) throw new Error('no server');
const user = await signUp(first.server.base);
const token = await user.token(['telemetry:ingest']);
await flagsOf(user).create('split');
await flagsOf(user).serve('split');
const key = await user.sdkKey();

const counts = { sent: 0, failed: 0, acknowledged: 0 };
const failures = new Map<string, number>();
let turn = 0;

function send(method: string, path: string, bearer: string | undefined, body?: string): Promise<number> {
  const ready = backends.filter((backend) => backend.ready);
  const backend = ready[turn++ % ready.length];
  if (backend === undefined) return Promise.resolve(0);
  backend.open++;
  const answered = new Promise<number>((resolve, reject) => {
    const headers = {
      ...(bearer === undefined ? { cookie: user.cookie } : { authorization: `Bearer ${bearer}` }),
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const sending = request(backend.server.base + path, { method, agent: backend.agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sending.once('error', reject).end(body);
  });
  return answered.finally(() => backend.open--);
}

async function one(): Promise<void> {
  const number = counts.sent++;
  const kind = number % 10;
  const ms = Date.now();
  const record = `{"timeUnixNano":"${ms}000000","body":{"stringValue":"rolled ${number}"}}`;
  try {
    const status =
      kind < 7
        ? await send('POST', '/ofrep/v1/evaluate/flags/split', key, `{"context":{"targetingKey":"u${number}"}}`)
        : kind < 9
          ? await send('POST', '/v1/logs', token, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${record}]}]}]}`)
          : await send('GET', '/api/v1/auth/me', undefined);
    if (status !== 200) throw new Error(`status ${status} of kind ${kind}`);
    if (kind === 7 || kind === 8) counts.acknowledged++;
  } catch (error) {
    counts.failed++;
    const reason = error instanceof Error ? error.message : String(error);
    failures.set(reason, (failures.get(reason) ?? 0) + 1);
  }
}

let goesOn = true;
const open = new Set<Promise<void>>();
const began = performance.now();
const sending = (async () => {
  while (goesOn) {
    const due = ((performance.now() - began) / 1_000) * rate;
    while (counts.sent < due) {
      const sent = one().finally(() => open.delete(sent));
      open.add(sent);
    }
    await delay(tickMs);
  }
  await Promise.all(open);
})();
const probing = (async () => {
  while (goesOn) {
    await Promise.all(
      backends.map(async (backend) => {
        if (backend.server.child.exitCode !== null) return;
        const answer = await fetch(`${backend.server.base}/readyz`).catch(() => undefined);
        if (answer?.status === 503) backend.ready = false;
      }),
    );
    await delay(probeMs);
  }
})();

for (let round = 0; round < Number(values.rounds); round++) {
  for (const [at, name] of ['one', 'two'].entries()) {
    await delay(2_000);
    const leaving = backends[at];
    if (leaving === undefined) throw new Error('no server');
    if (round === 0 && !drains) {
      leaving.ready = false;
      // On a busy machine many wait for a socket.
      await until(async () => leaving.open === 0);
    }
    const exited = once(leaving.server.child, 'exit');
    leaving.server.child.kill('SIGTERM');
    await exited;
    leaving.agent.destroy();
    backends[at] = await start(name, cli);
    console.log(`round ${round + 1}: server ${name} replaced; ${counts.sent} requests, ${counts.failed} failed`);
  }
}
goesOn = false;
await Promise.all([sending, probing]);
const seconds = (performance.now() - began) / 1_000;
for (const { server } of backends) await stored(server.base, 60_000);
const [last] = backends;
const client = testClient(last?.server.base ?? '', { cookie: user.cookie });
let rows = -1;
await until(async () => {
  const answer = await client.post(`${user.workspace}/query`, { query: 'logs | stats n=count()', to: 'now+5m' });
  rows = answer.data?.rows?.[0]?.[0] ?? -1;
  return rows >= counts.acknowledged;
}, 60_000).catch(() => {});
console.log(
  `${counts.sent} requests in ${seconds.toFixed(0)} s (${(counts.sent / seconds).toFixed(0)} a second), ${2 * Number(values.rounds)} servers replaced: ${counts.failed} failed; ${counts.acknowledged} log records acknowledged, ${rows} stored`,
);
for (const [reason, times] of failures) console.log(`  ${times} × ${reason}`);
for (const { server } of backends) await server.end('SIGTERM');
await stores.stop();
process.exit(counts.failed === 0 && rows === counts.acknowledged ? 0 : 1);
