import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../features/telemetry/ingest/testing/store.ts';
import { listBuildings, orderIndexes } from '../features/telemetry/text-indexes/store.ts';
import { setMerges } from './telemetry-content-store.ts';
import { countChanges, listTelemetryTables, openTelemetrySide, type TelemetrySide } from './telemetry-store.ts';

let store: TestStore;
let side: TelemetrySide;
beforeAll(async () => {
  store = await startTestStore();
  side = openTelemetrySide(store.clickhouse.url);
});
afterAll(async () => {
  await side?.close();
  await store?.close();
});

it('waits for rows to be deleted, and not for indexes to be built', async () => {
  const tables = await listTelemetryTables(side);
  await store.store.command(
    `INSERT INTO spans (workspace, project, environment, retention_days, time, service)
     SELECT 1, 1, 'production', 30, toDateTime64('2026-11-20 12:00:00', 9, 'UTC'), 'shop' FROM numbers(3)`,
  );
  await setMerges(side, tables, 'STOP');
  try {
    await orderIndexes(store.store, { table: 'spans', id: '20261120-30', parts: [] });
    expect(await listBuildings(store.store, 'spans')).toHaveLength(1);
    expect(await countChanges(side)).toBe(0);
    await store.store.command('ALTER TABLE spans DELETE WHERE workspace = 1', { settings: { mutations_sync: 0 } });
    expect(await countChanges(side)).toBe(1);
  } finally {
    await setMerges(side, tables, 'START');
  }
});
