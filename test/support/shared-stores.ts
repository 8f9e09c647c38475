import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layInitialStores } from '../../packages/server/src/testing/initial-stores.ts';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { startOwnPostgres, type TestDatabase } from '../../packages/server/src/testing/test-database.ts';
import { startProcess } from './server-process.ts';

export interface SharedStores {
  /** A fresh directory for the data of the test's servers. */
  readonly directory: string;
  /** Variables that make a server use these stores. */
  readonly env: Readonly<Record<string, string>>;
  readonly database: TestDatabase['connection'];
  /** The process with ClickHouse's protocol. */
  readonly telemetry: ReturnType<typeof startProcess>;
  stopPostgres(): Promise<void>;
  stop(): Promise<void>;
}

/** A PostgreSQL server and `fanion stores --clickhouse`, for tests of several servers on the same stores. */
export async function startSharedStores(): Promise<SharedStores> {
  const directory = mkdtempSync(join(tmpdir(), 'fanion-shared-'));
  const postgres = await startOwnPostgres();
  const { connection } = await postgres.fresh();
  const stores = join(directory, 'stores');
  await layInitialStores(stores, { DATABASE_URL: connection.host });
  const telemetry = startProcess(['stores', '--clickhouse', '--data', stores], {});
  const clickhouse = await until(async () => /^CLICKHOUSE_URL='(\S+)'$/m.exec(telemetry.output())?.[1], 60_000);
  const { user, database, host, port } = connection;
  let stopped = false;
  const stopPostgres = async () => {
    if (!stopped) await postgres.close();
    stopped = true;
  };
  return {
    directory,
    env: {
      DATABASE_URL: `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      CLICKHOUSE_URL: clickhouse,
      FANION_SECRET_KEY: 'a secret key that all of the servers have',
    },
    database: connection,
    telemetry,
    stopPostgres,
    async stop() {
      telemetry.child.kill('SIGCONT');
      await telemetry.end('SIGTERM');
      await stopPostgres();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
