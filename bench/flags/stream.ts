/**
 * How soon after the answer of a PUT the last of 2,000 streams has the change, in a ruleset of 200 flags, and what a stream
 * costs in memory. Clients and server share the machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from '../../packages/server/src/testing/test-client.ts';
import { freePort, serveProcess } from '../../test/support/server-process.ts';
import { median, residentMiB } from '../support/load.ts';

const streams = Number(process.env.STREAMS ?? 2_000);
const rounds = Number(process.env.ROUNDS ?? 10);
const flags = 200;

export async function stream(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanion-bench-'));
  const server = await serveProcess(dataDir, await freePort());
  const pid = server.child.pid ?? 0;
  const user = await signUp(server.base);
  const production = (key: string) => `${user.project}/environments/production/flags/${key}`;
  for (let i = 0; i < flags; i++)
    await user.post(`${user.project}/flags`, { key: `flag-${i}`, name: `flag-${i}`, kind: 'boolean' });
  const key = await user.sdkKey();

  /** Counts the streams that have received the event of a version. */
  let awaited = '';
  let arrived = 0;
  let lastAt = 0;
  const port = Number(new URL(server.base).port);
  const request = `GET /api/v1/sdk/flags/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const before = residentMiB(pid);
  let open = 0;
  const sockets = Array.from({ length: streams }, () => {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
    let begun = false;
    socket.on('data', (chunk) => {
      if (!begun && chunk.includes('event: put')) {
        begun = true;
        open++;
      }
      if (awaited === '' || !chunk.includes(awaited)) return;
      arrived++;
      lastAt = performance.now();
    });
    socket.write(request);
    return socket;
  });
  const settle = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  while (open < streams) await settle(20);
  await settle(1_000);
  const perStream = ((residentMiB(pid) - before) * 1024) / streams;

  const results: { afterAnswer: number; afterSending: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const current = await user.get(production('flag-7'));
    const { off_variant, version } = current.data;
    awaited = 'event: patch';
    arrived = 0;
    const sent = performance.now();
    await user.put(production('flag-7'), {
      enabled: round % 2 === 0,
      off_variant,
      fallthrough: { variant: 'true' },
      version,
    });
    const answered = performance.now();
    while (arrived < streams) await settle(1);
    awaited = '';
    results.push({ afterAnswer: lastAt - answered, afterSending: lastAt - sent });
    await settle(100);
  }
  const of = (pick: (result: (typeof results)[number]) => number) => results.map(pick);
  console.log(`\n## Streams: ${streams} clients, ${flags} flags, ${rounds} rounds\n`);
  console.log(
    `last client after the PUT's answer: median ${median(of((r) => r.afterAnswer)).toFixed(0)} ms, worst ${Math.max(...of((r) => r.afterAnswer)).toFixed(0)} ms (target 200 ms)`,
  );
  console.log(`last client after the PUT was sent: median ${median(of((r) => r.afterSending)).toFixed(0)} ms`);
  console.log(`memory: ${perStream.toFixed(0)} KiB per stream`);
  for (const socket of sockets) socket.destroy();
  await server.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}
