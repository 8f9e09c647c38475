import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { load, median } from '../support/load.ts';
import { bulkFlags, type Contender, manyContexts, type Question } from './contender.ts';
import { type Ours, startFanion } from './fanion-server.ts';
import { startFlagd, startGoFeatureFlag } from './file-servers.ts';
import { binary } from './peers.ts';
import { startUnleash } from './unleash-server.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 3);
const connections = 64;

const questions: Readonly<Record<Question, string>> = {
  single: 'one flag',
  bulk: `${bulkFlags} flags`,
  contexts: `${bulkFlags} flags, ${manyContexts.length} contexts`,
};

/** The limit: `node:http` alone, answering the same request with the same bytes. */
async function bare(ours: Ours, kind: Question): Promise<Contender> {
  const script = fileURLToPath(new URL('../support/bare-server.mjs', import.meta.url));
  const answer = ours.answers[kind === 'single' ? 'single' : 'bulk'];
  const child = spawn(process.execPath, [script, Buffer.from(answer).toString('base64')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return {
    name: 'bare `node:http`',
    port: Number(String(line)),
    pid: child.pid ?? 0,
    requests: ours.requests,
    target: { single: 1 / 1.25, bulk: 0, contexts: 0 },
    stop: () => child.kill(),
  };
}

/** The same server with a header that makes it leave the request to Node's HTTP server (decision 0050). */
function through(ours: Contender): Contender {
  const unusual = (request: string) => request.replace('\r\n', '\r\nUpgrade: none\r\n');
  const { single, bulk, contexts } = ours.requests;
  return {
    ...ours,
    name: 'Fanion through `node:http`',
    requests: { single: single.map(unusual), bulk: bulk.map(unusual), contexts: contexts.map(unusual) },
    target: { single: 1 / 0.75, bulk: 1, contexts: 1 },
    stop() {},
  };
}

/** A contender whose binary an environment variable names. */
async function named(
  name: string,
  variable: string,
  start: (path: string) => Promise<Contender>,
): Promise<Contender | undefined> {
  const path = binary(name, variable);
  return path === undefined ? undefined : await start(path);
}

/** One evaluation, all 200 flags for one context, and for many, over 64 connections; the servers take turns. */
export async function ofrep(): Promise<void> {
  console.log(`\n## Over HTTP, ${connections} connections, median of ${rounds} rounds of ${seconds} s in turns\n`);
  const ours = await startFanion();
  const found = [
    through(ours),
    await startUnleash(),
    await named('flagd', 'FLAGD_BIN', startFlagd),
    await named('GO Feature Flag relay proxy', 'GOFF_BIN', startGoFeatureFlag),
  ];
  const peers = found.filter((each) => each !== undefined);
  console.log('| request | server | per second | processor time per request | its time to ours | target |');
  console.log('|---|---|---|---|---|---|');
  for (const kind of ['single', 'bulk', 'contexts'] as const) {
    const limit = await bare(ours, kind);
    if (kind === 'bulk') for (const peer of peers) await peer.prepareBulk?.();
    const all: readonly Contender[] = [ours, limit, ...peers];
    const results = all.map((): Awaited<ReturnType<typeof load>>[] => []);
    for (let round = 0; round < rounds; round++)
      for (const [i, { port, pid, requests }] of all.entries())
        results[i]?.push(await load({ port, pid, requests: requests[kind], connections, seconds }));
    const cpu = results.map((each) => median(each.map(({ cpuMicroseconds }) => cpuMicroseconds)));
    for (const [i, { name, target }] of all.entries()) {
      const perSecond = median((results[i] ?? []).map((result) => result.perSecond)).toFixed(0);
      const ratio = i === 0 ? '' : ((cpu[i] ?? 0) / (cpu[0] ?? 1)).toFixed(2);
      const wanted = i === 0 || target[kind] === 0 ? '' : `≥ ${target[kind]}`;
      console.log(`| ${questions[kind]} | ${name} | ${perSecond} | ${cpu[i]?.toFixed(1)} µs | ${ratio} | ${wanted} |`);
    }
    await limit.stop();
  }
  for (const { stop } of [ours, ...peers]) await stop();
}
