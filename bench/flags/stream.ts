/**
 * The time from the response of a PUT until the last stream has the change, in a ruleset of 200 flags, and the memory
 * per stream. Clients (CLIENTS processes that share STREAMS streams) and server share the machine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signUp } from '../../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { median, residentMiB } from '../support/load.ts';
import type { StreamsOpen } from './stream-client.ts';

const streams = Number(process.env.STREAMS ?? 2_000);
const processes = Number(process.env.CLIENTS ?? 2);
const rounds = Number(process.env.ROUNDS ?? 10);
const flags = 200;

const settle = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The combined reports of all clients. */
async function ask(clients: readonly ChildProcess[], question: 'status' | 'anew'): Promise<StreamsOpen> {
  const answers = await Promise.all(
    clients.map(async (client) => {
      client.send(question);
      const [answer] = await once(client, 'message');
      return answer as StreamsOpen;
    }),
  );
  const sum = (of: (answer: StreamsOpen) => number) => answers.reduce((total, answer) => total + of(answer), 0);
  return {
    open: sum(({ open }) => open),
    arrived: sum(({ arrived }) => arrived),
    lost: sum(({ lost }) => lost),
    lastAt: Math.max(...answers.map(({ lastAt }) => lastAt)),
  };
}

export async function stream(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const server = await serveProcess(dataDir, await freePort());
  const pid = server.child.pid ?? 0;
  const user = await signUp(server.base);
  const production = (key: string) => `${user.project}/environments/production/flags/${key}`;
  for (let i = 0; i < flags; i++)
    await user.post(`${user.project}/flags`, { key: `flag-${i}`, name: `flag-${i}`, kind: 'boolean' });
  const key = await user.sdkKey();

  const before = residentMiB(pid);
  const began = performance.now();
  const share = Math.ceil(streams / processes);
  const clients = Array.from({ length: processes }, (_, i) =>
    fork(fileURLToPath(new URL('stream-client.ts', import.meta.url)), [
      new URL(server.base).port,
      key,
      String(Math.min(share, streams - i * share)),
    ]),
  );
  for (let now = await ask(clients, 'status'); now.open < streams; now = await ask(clients, 'status')) {
    if (now.lost > 0) throw new Error(`${now.lost} streams ended while they were opened`);
    await settle(20);
  }
  const opened = (performance.now() - began) / 1_000;
  await settle(1_000);
  const perStream = ((residentMiB(pid) - before) * 1024) / streams;

  const results: { afterAnswer: number; afterSending: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const { off_variant, version } = (await user.get(production('flag-7'))).data;
    const change = { enabled: round % 2 === 0, off_variant, fallthrough: { variant: 'true' }, version };
    await ask(clients, 'anew');
    const sent = Date.now();
    await user.put(production('flag-7'), change);
    const answered = Date.now();
    let now = await ask(clients, 'status');
    for (; now.arrived < streams; now = await ask(clients, 'status')) await settle(5);
    results.push({ afterAnswer: now.lastAt - answered, afterSending: now.lastAt - sent });
    await settle(100);
  }
  const of = (pick: (result: (typeof results)[number]) => number) => results.map(pick);
  console.log(`\n## Streams: ${streams} in ${processes} client processes, ${flags} flags, ${rounds} rounds\n`);
  console.log(`all open, each with its ruleset, after ${opened.toFixed(1)} s`);
  console.log(
    `last client after the PUT's answer: median ${median(of((r) => r.afterAnswer)).toFixed(0)} ms, worst ${Math.max(...of((r) => r.afterAnswer)).toFixed(0)} ms (target 200 ms)`,
  );
  console.log(`last client after the PUT was sent: median ${median(of((r) => r.afterSending)).toFixed(0)} ms`);
  const { lost } = await ask(clients, 'status');
  console.log(`memory: ${perStream.toFixed(0)} KiB per stream; ${lost} streams were lost`);
  for (const client of clients) client.kill();
  await server.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}
