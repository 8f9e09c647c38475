import { expect, onTestFinished, test } from 'vitest';
import { firstValue } from '../testing/clickhouse.ts';
import { startTestTelemetryStore } from '../testing/telemetry-store.ts';
import { until } from '../testing/temporary.ts';

test('parts that a merge replaced are deleted from a table that gets no more rows', async () => {
  const { client, close } = await startTestTelemetryStore();
  onTestFinished(close);
  const table = '`of "people"`';
  await client.command({ query: `CREATE TABLE ${table} (id UInt64) ENGINE = MergeTree ORDER BY id` });
  // So that the engine does not look for them by itself.
  await client.command({ query: `ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 0` });
  await client.command({ query: `SYSTEM STOP CLEANUP ${table}` });
  for (const id of [1, 2, 3]) await client.command({ query: `INSERT INTO ${table} VALUES (${id})` });
  await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
  const parts = (which: string) =>
    firstValue(client, `SELECT toString(count()) FROM system.parts WHERE table = 'of "people"' AND ${which}`);
  expect(await parts('NOT active')).toBe('3');
  await until(async () => (await parts('NOT active')) === '0');
  expect(await parts('active')).toBe('1');
  expect(await firstValue(client, `SELECT groupArray(id) FROM ${table}`)).toBe('[1,2,3]');
});
