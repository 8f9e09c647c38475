import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileRuleset, evaluate, patchRuleset, type Segment } from '@fanion/flag-engine';
import { flag, ruleset } from '../../packages/flag-engine/src/testing/flags.ts';
import { signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { median, residentMiB } from '../support/load.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const size = Number(process.env.SEGMENT_KEYS ?? 1_000_000);
const perRequest = 100_000;

/** A segment of a million keys: in the engine, and in a server that evaluates it while it is edited. */
export async function segment(): Promise<void> {
  console.log(`\n## A segment of ${size.toLocaleString('en')} keys\n\n| what | figure |\n|---|---|`);
  inEngine();
  await inServer();
}

function row(what: string, figure: string): void {
  console.log(`| ${what} | ${figure} |`);
}

const uses = (key: string) =>
  flag(key, {
    rules: [{ id: 'r1', salt: 's1', clauses: [{ op: 'in_segment', values: ['million'] }], variant: 'true' }],
  });

function inEngine(): void {
  const keys = Array.from({ length: size }, (_, i) => `user-${i}`);
  const million: Segment = { key: 'million', version: 1, included: keys, excluded: [], rules: [] };
  const before = process.memoryUsage().heapUsed;
  const began = process.cpuUsage();
  const compiled = compileRuleset(ruleset([uses('segmented')], [million]));
  const cpu = process.cpuUsage(began);
  row('compile in the engine', `${((cpu.user + cpu.system) / 1e3).toFixed(0)} ms`);
  row('heap beside the list itself', `${((process.memoryUsage().heapUsed - before) / 1e6).toFixed(0)} MB`);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    let on = 0;
    for (let i = 0; i < 200_000; i++)
      if (evaluate(compiled, 'segmented', { targetingKey: `user-${(i * 7_919) % (2 * size)}` }).value === true) on++;
    const { user, system } = process.cpuUsage(start);
    if (on === 0) throw new Error('nobody is in the segment');
    times.push(((user + system) / 200_000) * 1e3);
  }
  row('an evaluation, keys all over it', `${median(times).toFixed(0)} ns`);
  const start = process.cpuUsage();
  for (let i = 0; i < 200; i++) patchRuleset(compiled, { version: i, flags: { other: flag('other', { version: i }) } });
  const { user, system } = process.cpuUsage(start);
  row('a change of another flag', `${((user + system) / 200).toFixed(0)} µs`);
}

/** The longest wait of an evaluation while one key is added; the server does both on one thread. */
async function inServer(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const server = await serveProcess(dataDir, await freePort(), { FANION_MAX_BODY: '64MiB' });
  const user = await signUp(server.base);
  const pid = server.child.pid ?? 0;
  const path = `${user.project}/segments/million`;
  const made = await user.post(`${user.project}/segments`, { key: 'million', name: 'million' });
  if (made.status !== 201) throw new Error(made.text);
  await user.post(`${user.project}/flags`, { key: 'segmented', name: 'segmented', kind: 'boolean' });
  const put = await user.put(`${user.project}/environments/production/flags/segmented`, {
    enabled: true,
    off_variant: 'false',
    fallthrough: { variant: 'false' },
    targets: [],
    rules: [{ clauses: [{ op: 'in_segment', values: ['million'] }], variant: 'true' }],
    version: 0,
  });
  if (put.status !== 200) throw new Error(put.text);
  const sdk = testClient(server.base, { bearer: await user.sdkKey() });
  const isIn = async (targetingKey: string) =>
    (await sdk.post('/ofrep/v1/evaluate/flags/segmented', { context: { targetingKey } })).json?.value === true;
  const add = async (keys: readonly string[]) => {
    const { version } = (await user.get(path)).data;
    const answer = await user.patch(path, { version, add: { included: keys } });
    if (answer.status !== 200) throw new Error(answer.text);
  };
  const restMiB = residentMiB(pid);
  // Leaves room for the keys that are added one by one, since a million is the limit.
  const filled = size - rounds;
  for (let from = 0; from < filled; from += perRequest)
    await add(Array.from({ length: Math.min(perRequest, filled - from) }, (_, i) => `user-${from + i}`));
  await until(() => isIn(`user-${filled - 1}`));
  row('memory of the server for it', `${(residentMiB(pid) - restMiB).toFixed(0)} MiB`);

  const stalls: number[] = [];
  const served: number[] = [];
  for (let round = 0; round < rounds; round++) {
    let worst = 0;
    let running = true;
    const pings = (async () => {
      while (running) {
        const sent = performance.now();
        await isIn('nobody');
        worst = Math.max(worst, performance.now() - sent);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    const began = performance.now();
    await add([`late-${round}`]);
    await until(() => isIn(`late-${round}`));
    served.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 500));
    running = false;
    await pings;
    stalls.push(worst);
  }
  row('one key added, until it is served', `median ${median(served).toFixed(0)} ms`);
  row(
    'longest evaluation meanwhile',
    `median ${median(stalls).toFixed(0)} ms, worst ${Math.max(...stalls).toFixed(0)} ms`,
  );
  await server.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}
