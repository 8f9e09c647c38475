import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Rulesets } from '../../features/flags/evaluation/index.ts';
import { newId } from '../../platform/ids.ts';
import { createLog } from '../../platform/log.ts';
import { createEventStreams, type EventStreams } from './event-streams.ts';
import { createSyncClients, type SyncClients } from './sync-clients.ts';

const environmentId = newId();
const keyId = newId();
const place = { keyId, environmentId };

/** The server's side of a call: it ends with the code of an error, and a message is in flight until the client reads it. */
class Call extends Writable {
  readonly written: string[] = [];
  code: status | undefined;
  readonly #peer: string;
  readonly #busyMs: number;
  #done: (() => void) | undefined;

  constructor({ peer = '127.0.0.1:1', busyMs = 0 } = {}) {
    super({ objectMode: true });
    this.#peer = peer;
    this.#busyMs = busyMs;
    this.on('error', (error: Error & { code?: status }) => {
      this.code = error.code;
      this.end();
    });
  }
  getPeer = () => this.#peer;
  override _write(message: Buffer, _encoding: string, done: () => void): void {
    const end = performance.now() + this.#busyMs;
    while (performance.now() < end);
    this.written.push(String(message));
    this.#done = done;
  }
  async read(): Promise<void> {
    this.#done?.();
    await nextTurn();
  }
}

describe("flagd's streams", () => {
  let version: number;
  let rulesets: Rulesets;
  const streams = { isLive: async () => true };

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    version = 1;
    rulesets = new Rulesets({
      source: {
        load: async () => ({
          ruleset: { version, environment: 'production', project: 'shop', flags: {}, segments: {} },
          flagStamps: new Map(),
          segmentStamps: new Map(),
        }),
        versions: async () => new Map([[environmentId, version]]),
      },
      log: createLog('silent'),
      clock: { now: () => 0 },
      pollMs: 1_000_000_000,
    });
    await rulesets.get(environmentId);
  });
  afterEach(async () => {
    await rulesets.stop();
    vi.useRealTimers();
  });

  async function change(): Promise<void> {
    version++;
    await rulesets.refresh([environmentId]);
  }

  describe('of configurations', () => {
    let clients: SyncClients;
    beforeEach(() => {
      const messageOf = async (ruleset: { version: number }) => Buffer.from(String(ruleset.version));
      clients = createSyncClients({ rulesets, streams, messageOf });
    });
    afterEach(() => clients.stop());

    async function open(call: Call): Promise<Call> {
      const held = await rulesets.get(environmentId);
      if (held !== undefined) clients.open(call, place, held.ruleset);
      await nextTurn();
      return call;
    }

    it('send only the newest one to a client that has not read', async () => {
      const call = await open(new Call());
      for (let i = 0; i < 5; i++) await change();
      expect(call.writableLength).toBe(1);
      await call.read();
      expect(call.written).toEqual(['1', '6']);
      await call.read();
      expect(call.writableLength).toBe(0);
      await change();
      await nextTurn();
      expect(call.written).toEqual(['1', '6', '7']);
    });

    it('let other requests in between clients', async () => {
      const calls: Call[] = [];
      for (let i = 0; i < 30; i++) calls.push(await open(new Call({ busyMs: 1 })));
      for (const call of calls) await call.read();
      const reached = () => calls.filter(({ written }) => written.includes('2')).length;
      await change();
      await nextTurn();
      expect(reached()).toBeLessThan(calls.length);
      while (reached() < calls.length) await nextTurn();
    });

    it('end with an error when the server stops, so that providers connect again', async () => {
      const call = await open(new Call());
      clients.stop();
      expect(call.code).toBe(status.UNAVAILABLE);
    });
  });

  describe('of events', () => {
    let events: EventStreams;
    beforeEach(() => {
      events = createEventStreams({ rulesets, streams });
    });
    afterEach(() => events.stop());

    it('end for a client that does not read, and not for others', async () => {
      const [idle, reader] = [new Call(), new Call()];
      for (const call of [idle, reader]) events.open(call, place, 'proto');
      for (let i = 0; i < 30; i++) {
        await reader.read();
        await change();
      }
      expect(idle.code).toBe(status.RESOURCE_EXHAUSTED);
      expect(idle.writableLength).toBe(16);
      expect(reader.code).toBeUndefined();
      expect(reader.written).toHaveLength(31);
    });

    it('have few places without a key, and keep those for streams with one', () => {
      const opened = Array.from({ length: 201 }, () => events.open(new Call(), undefined, 'proto'));
      expect(opened.lastIndexOf(true)).toBe(199);
      expect(events.open(new Call(), place, 'proto')).toBe(true);
      events.identify('127.0.0.1:1', place);
      expect(events.open(new Call(), undefined, 'proto')).toBe(true);
    });

    it('end after a minute without a key', async () => {
      const [own, other] = [new Call({ peer: 'own' }), new Call({ peer: 'other' })];
      for (const call of [own, other]) {
        events.open(call, undefined, 'proto');
        await call.read();
      }
      vi.advanceTimersByTime(59_000);
      expect(other.code).toBeUndefined();
      events.identify('own', place);
      vi.advanceTimersByTime(1_000);
      expect(other.code).toBe(status.UNAUTHENTICATED);
      expect(own.code).toBeUndefined();
      await change();
      expect(own.written.at(-1)).toContain('configuration_change');
      expect(other.written).toHaveLength(1);
    });

    it('free their place when the client leaves', async () => {
      const calls = Array.from({ length: 200 }, () => new Call());
      for (const call of calls) events.open(call, undefined, 'proto');
      for (const call of calls) call.destroy();
      await nextTurn();
      expect(events.open(new Call(), undefined, 'proto')).toBe(true);
    });
  });
});
