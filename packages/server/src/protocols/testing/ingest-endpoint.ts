import { afterAll, beforeAll, expect } from 'vitest';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../testing/telemetry-world.ts';
import { stored, until } from '../../testing/test-client.ts';

/** An ingest endpoint of the composed server, with a tenant that sends to it. */
export interface IngestEndpoint {
  /** Available when the tests run. */
  readonly world: TelemetryWorld;
  readonly ada: TelemetryTenant;
  /** An API token with permission to send. */
  readonly token: string;
  /** @param path below that of the endpoint */
  send(body: Uint8Array | string, headers?: Record<string, string>, path?: string): Promise<Response>;
  /** Returns rows of the last hour. */
  ask(query: string): Promise<unknown[][]>;
  /** Waits until a query returns `number`, and until everything else that was sent is stored. */
  gives(query: string, number: number): Promise<void>;
}

/** Starts a server for the tests of a file, and stops it after them. Every request carries `headers`. */
export function useIngestEndpoint(endpointPath: string, headers: Record<string, string> = {}): IngestEndpoint {
  let started: { world: TelemetryWorld; token: string } | undefined;
  beforeAll(async () => {
    const world = await startTelemetryWorld();
    started = { world, token: await world.ada.token(['telemetry:ingest']) };
  });
  afterAll(() => started?.world.stop());
  const running = () => {
    if (started === undefined) throw new Error('the server of this endpoint starts only before the first test');
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
      fetch(running().world.base + endpointPath + path, {
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
