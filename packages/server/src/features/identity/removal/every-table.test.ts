import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantTables } from '../../../features.ts';
import { startTestStore, type TestStore } from '../../telemetry/ingest/testing/store.ts';
import { deleteTelemetryFrom } from './telemetry-store.ts';
import { clearTable } from './testing/clear-table.ts';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

it('removes a workspace from every table that has tenants', async () => {
  for (const { name: table } of tenantTables) {
    const { rows } = await store.store.query(
      `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}
         AND name IN ('time', 'day', 'bucket', 'minute', 'hour', 'retention_days', 'items', 'evaluations')`,
      { params: { table } },
    );
    // A row without a time of today would have expired already; one that sums to zero is merged away.
    const names = rows.flat().map(String);
    const numbers = ['retention_days', 'items', 'evaluations'];
    const values = names.map((name) => (numbers.includes(name) ? '30' : 'now()')).join(', ');
    await store.store.command(
      `INSERT INTO ${table} (workspace, project, ${names.join(', ')}) VALUES (9, 1, ${values}), (10, 1, ${values})`,
    );
  }
  const place = { removal: 'all', workspace: 9, project: undefined, environment: undefined, before: undefined };
  for (const one of tenantTables) await clearTable(deleteTelemetryFrom(store.store), one, place);
  for (const { name: table } of tenantTables) {
    const { rows } = await store.store.query(`SELECT DISTINCT workspace FROM ${table}`);
    expect(rows, table).toEqual([[10]]);
  }
}, 120_000);
