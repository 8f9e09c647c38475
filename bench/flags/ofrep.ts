/**
 * OFREP evaluations per second and CPU per request, beside a bare `node:http` server that answers with the same bytes,
 * in the same run and in turns: `npx tsx bench/ofrep.ts` (after `npm run build`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signUp, testClient, until } from '../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../test/support/server-process.ts';
import { load, median, postRequest } from './support/load.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 3);
const connections = 64;
const bulkFlags = 200;

const dataDir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
const server = await serveProcess(dataDir, await freePort());
const user = await signUp(server.base);
for (let i = 0; i < bulkFlags; i++) {
  const key = `flag-${i}`;
  await user.post(`${user.project}/flags`, { key, name: key, kind: 'boolean' });
  await user.put(`${user.project}/environments/production/flags/${key}`, {
    enabled: true,
    off_variant: 'false',
    fallthrough: { variant: 'false' },
    targets: [],
    rules: [{ clauses: [{ attribute: 'country', op: 'in', values: ['DE', 'AT'] }], variant: 'true' }],
    version: 0,
  });
}
const key = await user.sdkKey();
const sdk = testClient(server.base, { bearer: key });
const context = { targetingKey: 'user-1', country: 'DE', plan: 'pro' };
await until(async () => (await sdk.post('/ofrep/v1/evaluate/flags/flag-0', { context })).json?.value === true);

const kinds = [
  { name: 'single flag', path: '/ofrep/v1/evaluate/flags/flag-0' },
  { name: `bulk, ${bulkFlags} flags`, path: '/ofrep/v1/evaluate/flags' },
];
const authorization = `Bearer ${key}`;
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${connections} connections, median of ${rounds} rounds of ${seconds} s, ${new Date().toISOString().slice(0, 10)}`,
);
console.log('| request | server | per second | CPU µs per request |\n|---|---|---|---|');
for (const { name, path } of kinds) {
  const answer = await sdk.post(path, { context });
  const bare = spawn(
    process.execPath,
    [fileURLToPath(new URL('./support/bare-server.mjs', import.meta.url)), Buffer.from(answer.text).toString('base64')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(bare.stdout, 'data');
  const targets = [
    {
      server: 'fanion',
      port: Number(new URL(server.base).port),
      pid: server.child.pid ?? 0,
      results: [] as Awaited<ReturnType<typeof load>>[],
    },
    {
      server: 'bare node:http',
      port: Number(String(line)),
      pid: bare.pid ?? 0,
      results: [] as Awaited<ReturnType<typeof load>>[],
    },
  ];
  const request = postRequest(path, { context }, { authorization });
  for (let round = 0; round < rounds; round++)
    for (const target of targets) target.results.push(await load({ ...target, request, connections, seconds }));
  const medians = targets.map(({ results }) => ({
    perSecond: median(results.map((r) => r.perSecond)),
    cpu: median(results.map((r) => r.cpuMicroseconds)),
  }));
  for (const [i, target] of targets.entries())
    console.log(`| ${name} | ${target.server} | ${medians[i]?.perSecond.toFixed(0)} | ${medians[i]?.cpu.toFixed(1)} |`);
  console.log(
    `| ${name} | ratio | ${((medians[0]?.perSecond ?? 0) / (medians[1]?.perSecond ?? 1)).toFixed(2)} | ${((medians[0]?.cpu ?? 0) / (medians[1]?.cpu ?? 1)).toFixed(2)} |`,
  );
  bare.kill();
}
await server.end('SIGTERM');
rmSync(dataDir, { recursive: true, force: true });
