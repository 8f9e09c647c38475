import { type ClickHouse, createClickHouse } from '../platform/clickhouse/index.ts';
import { type SignedUp, signUp, stored, testClient, until } from './test-client.ts';
import { sharedTestServer } from './test-server.ts';

/** A tenant that can send telemetry, and its numbers in the telemetry store. */
export interface TelemetryTenant extends SignedUp {
  readonly numbers: { readonly workspace: number; readonly project: number };
  /** Sends OTLP/JSON to `/v1/<signal>`; it is acknowledged, and stored soon after. */
  ingest(signal: 'traces' | 'logs' | 'metrics', request: object): Promise<void>;
  /** Waits until an OQL query returns this count, and until everything else that was sent is stored. */
  counted(query: string, count: number): Promise<void>;
}

export interface TelemetryWorld {
  readonly base: string;
  readonly store: ClickHouse;
  readonly ada: TelemetryTenant;
  readonly eve: TelemetryTenant;
  /** Inserts rows directly, as JSON. */
  insert(table: string, rows: readonly object[]): Promise<void>;
  stop(): Promise<void>;
}

/** A server, by default that which the test files of a worker share, its telemetry store, and two new tenants. */
export async function startTelemetryWorld(starting = sharedTestServer()): Promise<TelemetryWorld> {
  const server = await starting;
  const store = createClickHouse({ url: server.clickhouseUrl, database: 'fanion' });
  const settle = async (name: string): Promise<TelemetryTenant> => {
    const owner = await signUp(server.base, name);
    const numberOf = async (table: 'workspaces' | 'projects', id: string) => {
      const row = server.db.selectFrom(table).select('number').where('id', '=', id);
      return (await row.executeTakeFirstOrThrow()).number;
    };
    const sender = testClient(server.base, { bearer: await owner.token(['telemetry:ingest']) });
    return {
      ...owner,
      numbers: {
        workspace: await numberOf('workspaces', owner.workspaceId),
        project: await numberOf('projects', owner.projectId),
      },
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
  const ada = await settle('ada');
  const eve = await settle('eve');
  return {
    base: server.base,
    store,
    ada,
    eve,
    async insert(table, rows) {
      const lines = rows.map((row) => JSON.stringify(row)).join('\n');
      await store.command(`INSERT INTO ${table} FORMAT JSONEachRow ${lines}`);
    },
    async stop() {
      await store.close();
      await server.stop();
    },
  };
}
