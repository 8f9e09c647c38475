import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import { type ClickHouse, createClickHouse, migrateTelemetry } from '../../../../platform/clickhouse/index.ts';

export const quietLog = { info() {}, warn() {}, error() {} };

export interface TestStore {
  engine: EmbeddedStore;
  clickhouse: { url: string; database: string };
  store: ClickHouse;
  close(): Promise<void>;
}

/** A migrated telemetry store in a fresh directory. */
export async function startTestStore(): Promise<TestStore> {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-store-'));
  const engine = await startTelemetryStore({ dir, memoryBytes: 2 * 1024 ** 3, log: quietLog });
  const clickhouse = { url: engine.url, database: 'fanion' };
  await migrateTelemetry(clickhouse);
  const store = createClickHouse(clickhouse);
  return {
    engine,
    clickhouse,
    store,
    async close() {
      await store.close();
      await engine.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The one number that a query answers with. */
export async function count(store: ClickHouse, sql: string, params: Record<string, unknown> = {}): Promise<number> {
  const { rows } = await store.query(sql, { params });
  return Number(rows[0]?.[0]);
}
