import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { Flag } from '@fanion/flag-engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import { Rulesets } from './rulesets.ts';
import { lastEventId } from './sse.ts';
import { createStreams, type Streams } from './streams.ts';

const log = createLog('silent');
const environmentId = newId();
const opens = Date.parse('2026-12-01T00:00:00Z');

const sale: Flag = {
  key: 'sale',
  kind: 'boolean',
  version: 1,
  enabled: true,
  variants: [
    { key: 'true', value: true },
    { key: 'false', value: false },
  ],
  off_variant: 'false',
  fallthrough: { variant: 'false' },
  targets: [],
  rules: [
    {
      id: 'r',
      salt: 's',
      clauses: [{ attribute: 'now', op: 'after', values: ['2026-12-01T00:00:00Z'] }],
      variant: 'true',
    },
  ],
  salt: 's',
  prerequisites: [],
};

/** Timers stand still until a test moves them; the sockets are real. */
describe('refetch events of a ruleset that compares the time', () => {
  let server: Server;
  let rulesets: Rulesets;
  let streams: Streams;
  let base: string;
  let loaded: () => { version: number; flags: Record<string, Flag> };

  const start = async (flags: Record<string, Flag>) => {
    loaded = () => ({ version: 1, flags });
    const clock = { now: () => Date.now() };
    rulesets = new Rulesets({
      source: {
        load: async () => ({
          ruleset: { ...loaded(), environment: 'production', project: 'shop', segments: {} },
          flagStamps: new Map(Object.entries(loaded().flags).map(([key, { version }]) => [key, `1:${version}`])),
          segmentStamps: new Map(),
        }),
        versions: async () => new Map([[environmentId, loaded().version]]),
      },
      log,
      clock,
      pollMs: 1_000_000_000,
    });
    streams = createStreams({ rulesets, liveKeys: async () => new Set([environmentId]), clock, log });
    server = createServer(async (request, response) => {
      const held = await rulesets.get(environmentId);
      if (held === undefined) throw new Error('nothing is held');
      const seen = lastEventId(request.headers['last-event-id']);
      streams.open('refetch', { environmentId, keyId: environmentId, held, response, seen });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    vi.setSystemTime(opens - 60_000);
  });
  afterEach(async () => {
    streams.stop();
    server.closeAllConnections();
    server.close();
    await rulesets.stop();
    vi.useRealTimers();
  });

  /** What a client has read so far; it has once it is connected. */
  async function listen(seen?: string) {
    const state = { text: '', refetches: () => state.text.match(/"refetchEvaluation"/g)?.length ?? 0 };
    // Not `fetch`, which has timers of its own.
    get(base, { headers: seen === undefined ? {} : { 'last-event-id': seen } }, (response) =>
      response.setEncoding('utf8').on('data', (text) => {
        state.text += text;
      }),
    );
    await expect.poll(() => state.text).toContain('id: ');
    return state;
  }
  const lastId = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];

  it('are sent when the time of a rule passes, once', async () => {
    await start({ sale });
    const client = await listen();
    vi.advanceTimersByTime(59_999);
    expect(client.refetches()).toBe(0);
    vi.advanceTimersByTime(1_000);
    await expect.poll(() => client.refetches()).toBe(1);
    vi.advanceTimersByTime(86_400_000);
    streams.stop();
    await expect.poll(() => client.text).toMatch(/retry: \d+\n\n$/);
    expect(client.refetches()).toBe(1);
  });

  it('are sent for a time that a change brings, however far away', async () => {
    await start({});
    const client = await listen();
    vi.setSystemTime(opens - 3 * 86_400_000);
    loaded = () => ({ version: 2, flags: { sale } });
    await rulesets.refresh([environmentId]);
    await expect.poll(() => client.refetches()).toBe(1);
    vi.advanceTimersByTime(2 * 86_400_000);
    expect(client.refetches()).toBe(1);
    vi.advanceTimersByTime(86_400_000 + 1_000);
    await expect.poll(() => client.refetches()).toBe(2);
  });

  it('reach a client that was away when the time passed', async () => {
    await start({ sale });
    const before = lastId((await listen()).text) ?? '';
    expect((await listen(before)).refetches()).toBe(0);
    vi.setSystemTime(opens + 86_400_000);
    const back = await listen(before);
    expect(back.refetches()).toBe(1);
    expect((await listen(lastId(back.text))).refetches()).toBe(0);
  });

  it('reach a client that evaluated just before the time and connected just after', async () => {
    await start({ sale });
    vi.setSystemTime(opens + 5_000);
    expect((await listen()).refetches()).toBe(1);
    vi.setSystemTime(opens + 60_000);
    expect((await listen()).refetches()).toBe(0);
  });
});
