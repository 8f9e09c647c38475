import { afterAll, beforeAll, expect } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../testing/telemetry-world.ts';
import { stored, until } from '../../testing/test-client.ts';

/** One of the doors for telemetry of the composed server, to which a tenant sends. */
export interface Door {
  /** Known when the tests run. */
  readonly world: TelemetryWorld;
  readonly ada: TelemetryTenant;
  /** An API token that may send. */
  readonly token: string;
  /** @param path below that of the door */
  send(body: Uint8Array | string, headers?: Record<string, string>, path?: string): Promise<Response>;
  /** Rows of the last hour. */
  ask(query: string): Promise<unknown[][]>;
  /** Waits until a query of one number gives `number`, and until all else that was sent is stored. */
  gives(query: string, number: number): Promise<void>;
}

/** Starts a server for the tests of a file, and stops it behind them. `headers` go with whatever is sent. */
export function useDoor(doorPath: string, headers: Record<string, string> = {}): Door {
  let started: { world: TelemetryWorld; token: string } | undefined;
  beforeAll(async () => {
    const world = await startTelemetryWorld();
    started = { world, token: await world.ada.token(['telemetry:ingest']) };
  });
  afterAll(() => started?.world.stop());
  const running = () => {
    if (started === undefined) throw new Error('the server of this door starts before the first test, and not earlier');
    return started;
  };
  const ask = async (query: string): Promise<unknown[][]> => {
    const { ada } = running().world;
    const answer = await ada.post(`${ada.workspace}/query`, { query, from: 'now-1h', to: 'now' });
    expect(answer.status, answer.text).toBe(200);
    return answer.data.rows;
  };
  return {
    get world() {
      return running().world;
    },
    get ada() {
      return running().world.ada;
    },
    get token() {
      return running().token;
    },
    ask,
    send: (body, more = {}, path = '') =>
      fetch(running().world.base + doorPath + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${running().token}`, ...headers, ...more },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      }),
    async gives(query, number) {
      await until(async () => Number((await ask(query))[0]?.[0]) === number);
      await stored(running().world.base);
    },
  };
}
