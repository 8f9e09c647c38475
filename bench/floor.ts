/**
 * What an answer costs before it reads anything: `SELECT 1` by raw HTTP and through a lane of the query gateway, queries of
 * an empty store and routes with a session through the API. Medians in milliseconds, and processor time of the processes.
 *
 *   npx tsx bench/floor.ts [--rounds 300]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTelemetryStore } from '@fanion/embedded';
import { createClickHouse, migrateTelemetry } from '../packages/server/src/platform/clickhouse/index.ts';
import { signUp } from '../packages/server/src/testing/test-client.ts';
import { testGateway } from '../packages/server/src/testing/test-gateway.ts';
import { freePort, serveProcess } from '../test/support/server-process.ts';
import { cpuSeconds, median } from './support/load.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '300' } } });
const rounds = Number(values.rounds);
const quiet = { info() {}, warn: console.error, error: console.error };

const dir = mkdtempSync(join(tmpdir(), 'fanion-floor-'));
const engine = await startTelemetryStore({ dir: join(dir, 'telemetry'), memoryBytes: 1024 ** 3, log: quiet });
await migrateTelemetry({ url: engine.url, database: 'fanion' });
const store = createClickHouse({ url: engine.url, database: 'fanion' });
const lane = testGateway(store).lane('interactive');
const server = await serveProcess(join(dir, 'server'), await freePort(), { CLICKHOUSE_URL: engine.url });
const owner = await signUp(server.base, 'bench');

const agent = new Agent({ keepAlive: true });
const { hostname, port, password } = new URL(engine.url);
const raw = (path: string, body: string) =>
  new Promise<void>((resolve, reject) => {
    const auth = `default:${decodeURIComponent(password)}`;
    const sent = request({ agent, hostname, port, path, method: 'POST', auth }, (response) => {
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end(body);
  });

const api = new Agent({ keepAlive: true });
const ask = (path: string, query?: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = { cookie: owner.cookie, origin: server.base, 'content-type': 'application/json' };
    const method = query === undefined ? 'GET' : 'POST';
    const sent = request(`${server.base}${path}`, { agent: api, method, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end(query === undefined ? undefined : JSON.stringify({ query }));
  });
const query = (oql: string) => () => ask(`${owner.workspace}/query`, oql);

const scope = { workspace: 1, project: undefined, environment: undefined };
const { signal } = new AbortController();
const cases: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
  ['engine: ping', () => raw('/ping', '')],
  ['engine: `SELECT 1`, a new connection each', () => raw('/?wait_end_of_query=1', 'SELECT 1')],
  ['engine: `SELECT 1`, read-only', () => raw('/?wait_end_of_query=1&readonly=1', 'SELECT 1')],
  ['gateway lane: `SELECT 1`', () => lane.rows(scope, 'SELECT 1', {}, signal)],
  ['API: `/healthz`', () => ask('/healthz')],
  ['API: `/projects` of a workspace, with a session', () => ask(`${owner.workspace}/projects`)],
  ['API: `spans \\| count`, empty store', query('spans | count')],
  ['API: `spans \\| limit 20`, empty store', query('spans | limit 20')],
  ['API: `logs \\| limit 20`, empty store', query('logs | limit 20')],
];

const serverPid = server.child.pid ?? 0;
const children = readFileSync(`/proc/${serverPid}/task/${serverPid}/children`, 'utf8').trim();
const control = Number(children.split(/\s+/)[0]);
const processes = [serverPid, control, engine.pid() ?? 0];
/** In turns, so that whatever else the machine does affects all of them alike. */
const times = cases.map((): number[] => []);
const used = cases.map(() => processes.map(() => 0));
for (const [, run] of cases) for (let i = 0; i < 30; i++) await run();
const batch = 20;
for (let round = 0; round < rounds; round += batch)
  for (const [at, [, run]] of cases.entries()) {
    const before = processes.map(cpuSeconds);
    for (let i = 0; i < batch; i++) {
      const began = performance.now();
      await run();
      times[at]?.push(performance.now() - began);
    }
    for (const [nth, pid] of processes.entries()) {
      const of = used[at];
      if (of) of[nth] = (of[nth] ?? 0) + cpuSeconds(pid) - (before[nth] ?? 0);
    }
  }

console.log(`${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}, ${rounds} rounds\n`);
console.log('| what | ms | cpu ms: server | control plane | engine |\n| --- | --- | --- | --- | --- |');
for (const [at, [name]] of cases.entries()) {
  const cpu = (used[at] ?? []).map((seconds) => ((seconds / (times[at]?.length ?? 1)) * 1000).toFixed(2));
  console.log(`| ${name} | ${median(times[at] ?? []).toFixed(2)} | ${cpu.join(' | ')} |`);
}
agent.destroy();
api.destroy();
await server.end('SIGTERM');
await store.close();
await engine.stop();
rmSync(dir, { recursive: true, force: true });
process.exit(0);
