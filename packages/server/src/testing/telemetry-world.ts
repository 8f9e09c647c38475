import { startTestStore, type TestStore } from '../features/telemetry/ingest/testing/store.ts';
import type { ClickHouse } from '../platform/clickhouse/index.ts';
import { type SignedUp, signUp, stored, testClient, until } from './test-client.ts';
import { startTestServer } from './test-server.ts';

/** A tenant with a way to send, and the integers that stand for its places in the telemetry store. */
export interface TelemetryTenant extends SignedUp {
  readonly numbers: { readonly workspace: number; readonly project: number };
  /** Sends OTLP/JSON to `/v1/<signal>`; it is acknowledged, and stored soon. */
  ingest(signal: 'traces' | 'logs' | 'metrics', request: object): Promise<void>;
  /** Waits until a query in OQL counts so many, and until all else that was sent is stored. */
  counted(query: string, count: number): Promise<void>;
}

export interface TelemetryWorld {
  readonly base: string;
  readonly store: ClickHouse;
  readonly ada: TelemetryTenant;
  readonly eve: TelemetryTenant;
  /** Inserts rows as JSON, as an ingest that does not exist yet would. */
  insert(table: string, rows: readonly object[]): Promise<void>;
  stop(): Promise<void>;
}

/** The composed server on a telemetry store that the test can write to, and two tenants on it. */
export async function startTelemetryWorld(): Promise<TelemetryWorld> {
  const telemetry: TestStore = await startTestStore();
  const server = await startTestServer({ env: { CLICKHOUSE_URL: telemetry.engine.url } });
  const settle = async (name: string, number: number): Promise<TelemetryTenant> => {
    const owner = await signUp(server.base, name);
    const sender = testClient(server.base, { bearer: await owner.token(['telemetry:ingest']) });
    return {
      ...owner,
      // A fresh control plane counts from one.
      numbers: { workspace: number, project: number },
      async ingest(signal, request) {
        const answer = await sender.post(`/v1/${signal}`, request);
        if (answer.status !== 200) throw new Error(`${signal}: ${answer.status} ${answer.text}`);
      },
      async counted(query, count) {
        await until(async () => {
          const answer = await owner.post(`${owner.workspace}/query`, { query, from: 'now-1d', to: 'now+1d' });
          return answer.data?.rows?.[0]?.[0] === count;
        });
        await stored(server.base);
      },
    };
  };
  const ada = await settle('ada', 1);
  const eve = await settle('eve', 2);
  return {
    base: server.base,
    store: telemetry.store,
    ada,
    eve,
    async insert(table, rows) {
      const lines = rows.map((row) => JSON.stringify(row)).join('\n');
      await telemetry.store.command(`INSERT INTO ${table} FORMAT JSONEachRow ${lines}`);
    },
    async stop() {
      await server.stop();
      await telemetry.close();
    },
  };
}
