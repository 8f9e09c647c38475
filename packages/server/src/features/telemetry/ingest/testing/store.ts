import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import { type ClickHouse, createClickHouse } from '../../../../platform/clickhouse/index.ts';
import { createMigratedDatabase } from '../../../../platform/clickhouse/testing/migrated-database.ts';

export const quietLog = { info() {}, warn() {}, error() {} };

export interface TestStore {
  engine: EmbeddedStore;
  clickhouse: { url: string; database: string };
  store: ClickHouse;
  close(): Promise<void>;
}

let shared: Promise<EmbeddedStore> | undefined;

/** A new, migrated database in the engine that the test files of a worker share; it ends with the worker. */
export async function startTestStore(): Promise<TestStore> {
  shared ??= startEngine();
  const engine = await shared;
  const clickhouse = { url: engine.url, database: 'fanion' };
  const admin = createClickHouse({ url: engine.url, database: 'default', maxConnections: 1 });
  await admin.command('DROP DATABASE IF EXISTS fanion SYNC');
  await admin.close();
  await createMigratedDatabase(clickhouse);
  const store = createClickHouse(clickhouse);
  return {
    engine,
    clickhouse,
    store,
    close: () => store.close(),
  };
}

async function startEngine(): Promise<EmbeddedStore> {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-store-'));
  return startTelemetryStore({ dir, memoryBytes: 2 * 1024 ** 3, log: quietLog });
}

/** The only number that a query returns. */
export async function count(store: ClickHouse, sql: string, params: Record<string, unknown> = {}): Promise<number> {
  const { rows } = await store.query(sql, { params });
  return Number(rows[0]?.[0]);
}
