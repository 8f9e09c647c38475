import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { logs } from './support/endpoints.ts';
import { memoryOf, ownMetrics, percentile } from './support/processes.ts';
import { freshDirectory } from './support/stored.ts';

/** `SLOW_CLIENTS=2000` for the figures of docs/guides/reliability.md; it then also waits until the last one is disconnected. */
const clients = Number(process.env.SLOW_CLIENTS ?? 200);
const isLong = process.env.SLOW_CLIENTS !== undefined;
const mebibyte = 1024 ** 2;

describe(`${clients} slow clients`, () => {
  const directory = freshDirectory('slow');
  let server: ServerProcess;
  let port: number;
  let token: string;
  let other: string;
  let evaluate: () => Promise<number>;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    port = await freePort();
    server = await serveProcess(directory.path, port);
    token = await (await signUp(server.base)).token(['telemetry:ingest']);
    const user = await signUp(server.base);
    other = await user.token(['telemetry:ingest']);
    const sdk = testClient(server.base, { bearer: await user.sdkKey() });
    evaluate = async () => (await sdk.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'u' } })).status;
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await server?.end('SIGKILL');
    directory.remove();
  });

  async function open(start: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(start);
    return socket;
  }
  const head = (of: string, length: number) =>
    `POST /v1/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${of}\r\nContent-Type: application/x-protobuf\r\nContent-Length: ${length}\r\n\r\n`;

  async function send(): Promise<number> {
    const response = await fetch(`${server.base}/v1/logs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
      body: JSON.stringify(logs('others', Array(20).fill(Date.now() - 1000))),
    });
    await response.arrayBuffer();
    return response.status;
  }
  /** Durations of requests by another client, which must not be affected. */
  async function others(count: number): Promise<{ ingest: number; flags: number }> {
    const [ingest, flags]: [number[], number[]] = [[], []];
    for (let i = 0; i < count; i++) {
      for (const [samples, ask] of [
        [ingest, send],
        [flags, evaluate],
      ] as const) {
        const began = performance.now();
        expect(await ask()).toBe(200);
        samples.push(performance.now() - began);
      }
    }
    return { ingest: percentile(ingest, 0.99), flags: percentile(flags, 0.99) };
  }

  it('are disconnected after a while, use little memory, and delay no one else', async () => {
    const samples = isLong ? 1000 : 150;
    await others(50);
    const alone = await others(samples);
    const before = memoryOf(server.child.pid);
    const began = performance.now();
    const ends: { of: 'headers' | 'body'; ms: number }[] = [];
    const slow = await Promise.all(
      Array.from({ length: clients }, async (_, i) => {
        const of = i % 2 === 0 ? 'headers' : 'body';
        const socket = await open(
          of === 'headers' ? 'POST /v1/logs HTTP/1.1\r\nHost: x\r\nX-Slow: ' : head(token, mebibyte),
        );
        socket.once('close', () => ends.push({ of, ms: performance.now() - began }));
        return socket;
      }),
    );
    const dribble = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('a');
    }, 1000);
    try {
      const beside = await others(samples);
      const after = memoryOf(server.child.pid);
      console.log(
        `${clients} slow clients: p99 of others' ingest ${alone.ingest.toFixed(1)} → ${beside.ingest.toFixed(1)} ms, ` +
          `flags ${alone.flags.toFixed(1)} → ${beside.flags.toFixed(1)} ms; memory ${before.toFixed(0)} → ${after.toFixed(0)} MiB`,
      );
      expect(after - before).toBeLessThan(200 + clients / 10);
      if (!isLong) return;
      await until(async () => ends.length === clients, 120_000);
      const last = (of: 'headers' | 'body') =>
        Math.max(...ends.filter((end) => end.of === of).map(({ ms }) => ms)) / 1000;
      console.log(
        `cut: headers after ${last('headers').toFixed(1)} s, bodies after ${last('body').toFixed(1)} s at the latest`,
      );
    } finally {
      clearInterval(dribble);
      for (const socket of slow) socket.destroy();
    }
  }, 300_000);

  it('use limited memory for endless bodies, and leave room for others', async () => {
    const piece = Buffer.alloc(30 * mebibyte);
    let refused = 0;
    const large = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const socket = await open(head(token, 31 * mebibyte));
        socket.on('data', (answer) => {
          if (answer.toString('latin1').startsWith('HTTP/1.1 429')) refused++;
        });
        socket.write(piece);
        return socket;
      }),
    );
    await until(async () => refused >= 12 - 8, 60_000);
    const held = (await ownMetrics(server.base)).get('fanion_ingest_body_bytes') ?? 0;
    console.log(`12 bodies of 30 MiB that never end: ${(held / mebibyte).toFixed(0)} MiB held, ${refused} refused`);
    expect(held).toBeLessThanOrEqual(256 * mebibyte);
    await others(5);
    for (const socket of large) socket.destroy();
    await until(async () => (await ownMetrics(server.base)).get('fanion_ingest_body_bytes') === 0);
  });
});
