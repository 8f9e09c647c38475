/**
 * What each role needs: a server of each, on one PostgreSQL and one telemetry store, first at rest and then with the load that the role
 * is for. Prints a Markdown table of resident memory without pages of files, and of processor time of the server's process.
 *
 *   npx tsx bench/roles.ts [--seconds 20] [--rate 10000] [--rules 100]
 *     --rate   spans a second for `ingest`
 *     --rules  alert rules, evaluated every 15 seconds, for `jobs`
 *
 * Builds what is measured beforehand: `npm run build`. (Linux)
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { signUp } from '../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../test/flags/support.ts';
import { freePort, serveProcess } from '../test/support/server-process.ts';
import { startSharedStores } from '../test/support/shared-stores.ts';
import { startSender } from './support/ingest/start-sender.ts';
import { cpuSeconds, load, memoryOf, postRequest } from './support/load.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '10000' },
    rules: { type: 'string', default: '100' },
  },
});
const [seconds, rate, rules] = [Number(values.seconds), Number(values.rate), Number(values.rules)];
const roles = ['ingest', 'api', 'flags', 'jobs', 'all'] as const;
type Role = (typeof roles)[number];
/** Code is compiled and memory collected for so long after a start. */
const SETTLE_MS = 60_000;

const stores = await startSharedStores();
try {
  const start = async (role: Role) => {
    const port = await freePort();
    const env = { ...stores.env, FANION_ROLE: role, FANION_RETENTION_DAYS: '30' };
    const server = await serveProcess(join(stores.directory, role), port, env);
    return { port, base: server.base, pid: server.child.pid ?? 0 };
  };
  const servers = {
    ingest: await start('ingest'),
    api: await start('api'),
    flags: await start('flags'),
    jobs: await start('jobs'),
    all: await start('all'),
  };
  const user = await signUp(servers.api.base);
  await flagsOf(user).create('one');
  await flagsOf(user).serve('one');
  const bearer = { authorization: `Bearer ${await user.sdkKey()}` };

  console.log(`Load ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
  console.log('| role | with | memory, MiB | processor time |\n| --- | --- | ---: | --- |');
  await delay(SETTLE_MS);
  const before = roles.map((role) => cpuSeconds(servers[role].pid));
  await delay(seconds * 1000);
  for (const [at, role] of roles.entries()) {
    const used = cpuSeconds(servers[role].pid) - (before[at] ?? 0);
    row(role, 'nothing to do', `${((used / seconds) * 60_000).toFixed(0)} ms a minute`);
  }

  const token = await user.token(['telemetry:ingest']);
  const sender = await startSender({
    ...{ port: servers.ingest.port, token, signal: 'traces', protocol: 'http-protobuf', gzip: false },
    ...{ connections: 4, rate },
  });
  const cpu = cpuSeconds(servers.ingest.pid);
  sender.go();
  await delay(seconds * 1000);
  const { acknowledged } = await sender.stop();
  const each = ((cpuSeconds(servers.ingest.pid) - cpu) / acknowledged) * 1e6;
  row('ingest', `${Math.round(acknowledged / seconds)} spans a second`, `${each.toFixed(1)} µs a span`);

  const evaluating = await load({
    ...{ port: servers.flags.port, pid: servers.flags.pid, connections: 64, seconds },
    requests: [postRequest('/ofrep/v1/evaluate/flags/one', { context: { targetingKey: 'u' } }, bearer)],
  });
  row(
    'flags',
    `${Math.round(evaluating.perSecond)} evaluations a second`,
    `${evaluating.cpuMicroseconds.toFixed(1)} µs each`,
  );

  const reader = { authorization: `Bearer ${await user.token(['telemetry:query'])}`, host: '127.0.0.1' };
  const query = { query: 'spans | stats n=count(), p95=p95(duration) by service.name', from: 'now-1h', to: 'now' };
  const path = `/api/v1/workspaces/${user.workspaceId}/query`;
  const asking = await load({
    ...{ port: servers.api.port, pid: servers.api.pid, connections: 2, seconds },
    requests: [postRequest(path, { ...query, project: user.projectId }, reader)],
  });
  row(
    'api',
    `${asking.perSecond.toFixed(1)} queries a second`,
    `${(asking.cpuMicroseconds / 1000).toFixed(1)} ms each`,
  );

  for (let i = 0; i < rules; i++) await createRule(i);
  await delay(20_000);
  const idle = cpuSeconds(servers.jobs.pid);
  await delay(seconds * 1000);
  const used = cpuSeconds(servers.jobs.pid) - idle;
  row('jobs', `${rules} alert rules every 15 s`, `${((used / seconds) * 60_000).toFixed(0)} ms a minute`);

  function row(role: Role, what: string, time: string): void {
    console.log(`| \`${role}\` | ${what} | ${memoryOf(servers[role].pid).own.toFixed(0)} | ${time} |`);
  }

  async function createRule(at: number): Promise<void> {
    const { status, text } = await user.post(`${user.workspace}/alert-rules`, {
      ...{ name: `rule ${at}`, project: user.projectId, every: '15s', window: '5m' },
      query: `spans | where service.name == "service-${at % 20}" | stats n=count(duration > ${at}ms)`,
      condition: { op: '>', threshold: 1e9 },
    });
    if (status !== 201) throw new Error(text);
  }
} finally {
  await stores.stop();
}
process.exit();
