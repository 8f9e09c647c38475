import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Flag } from '@fanion/flag-engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import { until } from '../../../testing/test-client.ts';
import type { LoadedRuleset } from '../flags/index.ts';
import { Rulesets } from './rulesets.ts';
import { lastEventId } from './sse.ts';
import { createStreams, type Streams } from './streams.ts';

const log = createLog('silent');
const environmentId = newId();
const keyId = newId();
/** 10000 for the long run. Each client is a socket here and one in the server. */
const clients = Number(process.env.STREAMS ?? 500);

function loaded(version: number): LoadedRuleset {
  const flag: Flag = {
    key: 'flag',
    kind: 'number',
    version,
    enabled: true,
    variants: [{ key: 'a', value: version }],
    off_variant: 'a',
    fallthrough: { variant: 'a' },
    targets: [],
    rules: [],
    salt: 's',
    prerequisites: [],
  };
  const ruleset = { version, environment: 'production', project: 'shop', flags: { flag }, segments: {} };
  return { ruleset, flagStamps: new Map([['flag', `1:${version}`]]), segmentStamps: new Map() };
}

describe('streams', () => {
  let version: number;
  let live: Set<string>;
  let server: Server;
  let rulesets: Rulesets;
  let streams: Streams;
  let port: number;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    version = 1;
    live = new Set([keyId]);
    rulesets = new Rulesets({
      source: { load: async () => loaded(version), versions: async () => new Map([[environmentId, version]]) },
      log,
      clock: { now: () => 0 },
      pollMs: 1_000_000_000,
    });
    streams = createStreams({ rulesets, liveKeys: async () => live, clock: { now: () => 0 }, log });
    const held = await rulesets.get(environmentId);
    if (held === undefined) throw new Error('nothing is held');
    server = createServer(async (request, response) => {
      const seen = lastEventId(request.headers['last-event-id']);
      const current = await rulesets.get(environmentId);
      streams.open('ruleset', { environmentId, keyId, held: current ?? held, response, seen });
    });
    server.listen({ host: '127.0.0.1', port: 0, backlog: 20_000 });
    await once(server, 'listening');
    const address = server.address();
    if (typeof address === 'object' && address !== null) port = address.port;
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    streams.stop();
    server.closeAllConnections();
    server.close();
    vi.useRealTimers();
    await rulesets.stop();
  });

  /** What a client has read so far, and whether it is still connected. */
  function client(seen?: number): { text: string; closed: boolean } {
    const state = { text: '', closed: false };
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      state.text += chunk.toString();
    });
    socket.on('close', () => {
      state.closed = true;
    });
    const last = seen === undefined ? '' : `Last-Event-ID: ${seen}\r\n`;
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${last}\r\n`);
    return state;
  }

  const change = async () => {
    version++;
    await rulesets.refresh([environmentId]);
  };
  /** Ids of the events that were read, in order. */
  const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

  const beats = (text: string) => text.match(/^:$/gm)?.length ?? 0;

  it('drop a client that leaves before its stream starts', async () => {
    const held = await rulesets.get(environmentId);
    if (held === undefined) throw new Error('nothing is held');
    server.removeAllListeners('request');
    const closed = new Promise<void>((resolve) => {
      server.once('request', (_request, response) => {
        response.once('close', () => {
          streams.open('ruleset', { environmentId, keyId, held, response, seen: undefined });
          resolve();
        });
        for (const socket of sockets.splice(0)) socket.destroy();
      });
    });
    client();
    await closed;
    expect(streams.count()).toBe(0);
  });

  // `vi.waitFor` would advance the fake clock.
  it('send a heartbeat every 15 seconds, and nothing in between', async () => {
    const one = client();
    await until(async () => one.text.includes('event: put'));
    vi.advanceTimersByTime(14_999);
    await change();
    await until(async () => one.text.includes('event: patch'));
    expect(beats(one.text)).toBe(0);
    vi.advanceTimersByTime(1);
    await until(async () => beats(one.text) === 1);
    vi.advanceTimersByTime(30_000);
    await until(async () => beats(one.text) === 3);
  });

  it('end within 5 seconds of the revocation of their key, and delay reconnects', async () => {
    const one = client();
    await until(async () => one.text.includes('event: put'));
    live.delete(keyId);
    await vi.advanceTimersByTimeAsync(5_000);
    await until(async () => /\r\n0\r\n\r\n$/.test(one.text));
    expect(Number(one.text.match(/retry: (\d+)\n\n\r\n0/)?.[1])).toBeGreaterThanOrEqual(30_000);
    expect(streams.count()).toBe(0);
  });

  it(`miss no version when ${clients} come back at once while flags change`, { timeout: 120_000 }, async () => {
    for (let i = 0; i < 20; i++) await change();
    // Most missed no more than is remembered, and some missed more.
    const back = Array.from({ length: clients }, (_, i) => ({ seen: 1 + (i % 21), state: client(1 + (i % 21)) }));
    for (let i = 0; i < 10; i++) {
      await new Promise(setImmediate);
      await change();
    }
    await until(async () => streams.count() === clients, 100_000);
    await change();
    for (const { state } of back) await until(async () => ids(state.text).at(-1) === version, 100_000);
    for (const { seen, state } of back) {
      const read = ids(state.text);
      const [first = 0] = read;
      // Either all missed events or the whole ruleset; then each version once, in order.
      if (state.text.includes('event: put')) expect(first).toBeGreaterThan(seen);
      else expect(first).toBe(seen + 1);
      expect(read).toEqual(read.map((_, i) => first + i));
    }
  });
});
