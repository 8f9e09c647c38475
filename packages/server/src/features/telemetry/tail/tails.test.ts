import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { createLog } from '../../../platform/log.ts';
import { until } from '../../../testing/test-client.ts';
import { lookOf, type SeenRow } from './rules.ts';
import { sseSink } from './sse-sink.ts';
import type { TailQuery, TailRow } from './store.ts';
import { createTails, type Tail, type Tails } from './tails.ts';

const maxOfWorkspace = 10;

/** Streams over real sockets; each test defines the content of the store. */
describe('tails', () => {
  let server: Server;
  let tails: Tails;
  let more: Partial<Tail<TailRow>> = {};
  let look: (...asked: Parameters<TailQuery<TailRow>['look']>) => Promise<SeenRow<TailRow>[]>;
  let refused: unknown;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    tails = createTails({ clock: systemClock, log: createLog('silent'), limits: { ofWorkspace: maxOfWorkspace } });
    look = async () => [];
    more = {};
    refused = undefined;
    server = createServer((_request, response) => {
      const query: TailQuery<TailRow> = {
        look: async (...asked) => lookOf(await look(...asked)),
        count: async () => 7,
      };
      try {
        const tail = {
          workspace: 1,
          requestId: 'request-1',
          query,
          startNs: BigInt(Date.now() - 10_000) * 1_000_000n,
          lastsMs: undefined,
          recheck: async () => {},
          ...more,
        };
        tails.enter(tail.workspace).follow(tail, sseSink(response, {}, ['time']));
      } catch (error) {
        refused = error;
        response.writeHead(429).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    tails.stop();
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  function open(): { text: () => string; socket: Socket } {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    return { text: () => text, socket };
  }
  /** The newest first, a nanosecond apart. */
  const rows = (count: number, body: string): SeenRow<TailRow>[] => {
    const nowNs = BigInt(Date.now()) * 1_000_000n;
    return Array.from({ length: count }, (_, n) => ({
      key: `${n}`,
      timeNs: nowNs - BigInt(n),
      row: { time: `t${n}`, body },
    }));
  };

  it('show rows once, the oldest first, and report dropped ones', async () => {
    const all = rows(501, '');
    look = async () => all;
    const { text } = open();
    await until(async () => text().includes('"t0"'));
    const events = [...text().matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect(events.slice(0, 3)).toEqual(['ready', 'dropped', 'row']);
    expect(events.filter((name) => name === 'row')).toHaveLength(500);
    expect(text()).toContain('"count":7');
    expect(text().indexOf('"t499"')).toBeLessThan(text().indexOf('"t0"'));
    expect(text()).not.toContain('"t500"');
  });

  it('disconnect a client that does not read', async () => {
    let looks = 0;
    // Different rows with each poll, far more than socket buffers hold.
    look = async () => rows(400, 'x'.repeat(100_000)).map((row) => ({ ...row, key: `${row.key} ${looks++}` }));
    const { socket } = open();
    socket.pause();
    await until(async () => looks > 0);
    await until(async () => tails.count() === 0);
  });

  it('end when their client disconnects, and abort the running poll', async () => {
    let aborted = false;
    look = (_from, _to, _now, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason);
        });
      });
    const { socket, text } = open();
    await until(async () => text().includes('ready'));
    socket.destroy();
    await until(async () => aborted && tails.count() === 0);
  });

  it('are limited per workspace', async () => {
    for (let n = 0; n < maxOfWorkspace; n++) open();
    await until(async () => tails.count() === maxOfWorkspace);
    const { text } = open();
    await until(async () => text().includes('429'));
    expect(refused).toMatchObject({ error: 'QUERY_QUEUE_FULL' });
    sockets[0]?.destroy();
    await until(async () => tails.count() === maxOfWorkspace - 1);
    open();
    await until(async () => tails.count() === maxOfWorkspace);
  });

  it('continue after the store was busy, and report why they end', async () => {
    let looks = 0;
    look = async () => {
      if (looks++ === 0) throw fail('STORE_UNAVAILABLE', { store: 'telemetry store' });
      if (looks === 2) return rows(1, 'after');
      throw fail('QUERY_TOO_EXPENSIVE', { reason: 'a test' });
    };
    const { text } = open();
    await until(async () => text().includes('event: error'));
    expect(text()).toContain('"after"');
    expect(text()).toContain('SVC-5002');
    await until(async () => tails.count() === 0);
  });

  it('name the request, and not the error, when a defect ends them', async () => {
    look = async () => {
      throw new Error('words of the engine');
    };
    const { text } = open();
    await until(async () => text().includes('event: error'));
    expect(text()).toContain('SVC-1000');
    expect(text()).toContain('request-1');
    expect(text()).not.toContain('engine');
  });

  it('end at once when access ended before anything watched them', async () => {
    more = { recheck: () => Promise.reject(fail('UNAUTHENTICATED', { reason: 'a test' })) };
    let looks = 0;
    look = async () => {
      looks++;
      return rows(1, 'secret');
    };
    const { text } = open();
    await until(async () => text().includes('SVC-2001'));
    expect(looks).toBe(0);
    await until(async () => tails.count() === 0);
  });

  it('continue while the control plane is away, and check again when it is back', async () => {
    let checks = 0;
    more = {
      recheck: async () => {
        checks++;
        if (checks === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        if (checks === 2) throw fail('STORE_UNAVAILABLE', { store: 'control plane' });
        if (checks === 3) throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
      },
    };
    const { text } = open();
    await until(async () => text().includes('event: error'));
    expect(checks).toBe(3);
    await until(async () => tails.count() === 0);
  });

  it('end with the server', async () => {
    const { socket, text } = open();
    await until(async () => text().includes('ready'));
    const ended = new Promise((resolve) => socket.once('end', resolve));
    tails.stop();
    expect(text()).not.toContain('event: error');
    await until(async () => tails.count() === 0);
    socket.end();
    await ended;
  });
});
