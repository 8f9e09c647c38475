import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signUp, stored, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { endless, large, worst } from '../../test/faults/support/bombs.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { postRequest } from '../support/load.ts';
import { type Quantiles, quantiles } from './quantiles.ts';

const rows = Number(process.env.BOMB_ROWS ?? 20_000);
const seconds = Number(process.env.SECONDS ?? 2);
const perSecond = Number(process.env.RATE ?? 200);
const atOnce = Number(process.env.AT_ONCE ?? 2);
const only = process.env.ONLY ?? '';
/** `2/3`: the second third of the queries. */
const [part = 1, parts = 1] = (process.env.PART ?? '').split('/').filter(Boolean).map(Number);

/**
 * OFREP evaluations at a fixed rate from another process, first alone and then while each of the worst known queries runs over and over.
 * Beside it bare `node:http` gets as many: what slows both is the machine, whose cores the engine uses too.
 */
export async function besideQueries(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const server = await serveProcess(dataDir, await freePort());
  const script = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url));
  try {
    const user = await signUp(server.base);
    await user.post(`${user.project}/flags`, { key: 'flag', name: 'Flag', kind: 'boolean' });
    const sdkKey = await user.sdkKey();
    const path = '/ofrep/v1/evaluate/flags/flag';
    const context = { targetingKey: 'user-1', country: 'DE' };
    const sdk = testClient(server.base, { bearer: sdkKey });
    await until(async () => (await sdk.post(path, { context })).status === 200);
    const answer = (await sdk.post(path, { context })).text;
    await fill(server.base, await user.token(['telemetry:ingest']));

    const bare = spawn(process.execPath, [script('bare-server.mjs'), Buffer.from(answer).toString('base64')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(bare.stdout, 'data');
    const targets = [
      {
        name: 'Fanion',
        port: Number(new URL(server.base).port),
        request: postRequest(path, { context }, { authorization: `Bearer ${sdkKey}` }),
      },
      { name: 'bare', port: Number(String(line)), request: postRequest(path, { context }) },
    ];
    const client = fork(script('steady-client.mjs'), [JSON.stringify(targets), String(perSecond)]);
    const seen = async () => {
      client.send('more');
      const [message] = await once(client, 'message');
      const [ours = [], limit = []] = (message as { times: number[] }[]).map(({ times }) => times);
      return { ours: quantiles(ours), limit: quantiles(limit) };
    };
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

    const post = (route: string, body: unknown, signal: AbortSignal) =>
      fetch(`${server.base}${user.workspace}/${route}`, {
        method: 'POST',
        headers: {
          cookie: user.cookie,
          origin: server.base,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
        signal,
      }).then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      });
    /** Asks over and over, some at once, until the time is over; gives how often and with which statuses. */
    const during = async (route: string, body: unknown) => {
      const leaving = new AbortController();
      const statuses = new Map<number, number>();
      const asking = Array.from({ length: atOnce }, async () => {
        while (!leaving.signal.aborted) {
          const status = await post(route, body, leaving.signal).catch(() => 0);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status === 429) await wait(50);
        }
      });
      await wait(seconds * 1000);
      const result = await seen();
      leaving.abort();
      await Promise.all(asking);
      return {
        ...result,
        statuses: [...statuses].map(([status, times]) => `${times} × ${status || 'left'}`).join(', '),
      };
    };

    await wait(2000);
    await seen();
    const idles: Awaited<ReturnType<typeof seen>>[] = [];
    const idle = async () => {
      await wait(seconds * 1000);
      const result = await seen();
      idles.push(result);
      return result;
    };
    console.log(
      `\n## ${perSecond} evaluations per second beside queries, ${rows} log records, ${atOnce} of a query at once, ${seconds} s each\n`,
    );
    console.log(
      '| while | p50 | p99 | longest | p99 to idle | p99 of bare `node:http` | its p99 to idle | p99 to that of bare | answers |',
    );
    console.log('|---|---|---|---|---|---|---|---|---|');
    const ms = (value: number) => `${value.toFixed(2)} ms`;
    const print = (
      name: string,
      { ours, limit }: { ours: Quantiles; limit: Quantiles },
      base: { ours: Quantiles; limit: Quantiles },
      statuses = '',
    ) =>
      console.log(
        `| ${name} | ${ms(ours.p50)} | ${ms(ours.p99)} | ${ms(ours.max)} | ${(ours.p99 / base.ours.p99).toFixed(2)} | ${ms(limit.p99)} | ${(limit.p99 / base.limit.p99).toFixed(2)} | ${(ours.p99 / limit.p99).toFixed(2)} | ${statuses} |`,
      );
    const base = await idle();
    print('idle', base, base);
    const window = { from: 'now-1h', to: 'now+5m' };
    const cases: readonly (readonly [string, string, unknown])[] = [
      ...large.map(([name, query]) => [name, 'query', { ...window, query, limit: 100_000 }] as const),
      ...endless.map(([name, query]) => [name, 'query', { ...window, query }] as const),
      ...worst.map(([name, query]) => [`compile: ${name}`, 'oql/validate', { query }] as const),
    ];
    const asked = cases.filter(([name]) => name.includes(only));
    const size = Math.ceil(asked.length / parts);
    for (const [name, route, body] of asked.slice((part - 1) * size, part * size)) {
      const { statuses, ...result } = await during(route, body);
      print(name, result, base, statuses);
      await wait(300);
      await seen();
    }
    print('idle again', await idle(), base);
    client.disconnect();
    bare.kill();
  } finally {
    await server.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function fill(base: string, token: string): Promise<void> {
  const now = Date.now();
  for (let at = 0; at < rows; at += 5_000) {
    const logRecords = Array.from({ length: Math.min(5_000, rows - at) }, (_, i) => ({
      timeUnixNano: String(BigInt(now - 1000 - at - i) * 1_000_000n),
      body: { stringValue: `line ${at + i} i${'i'.repeat(10)}` },
    }));
    const answer = await testClient(base, { bearer: token }).post('/v1/logs', {
      resourceLogs: [{ scopeLogs: [{ logRecords }] }],
    });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  await stored(base);
}
