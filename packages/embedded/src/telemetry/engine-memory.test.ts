import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf } from '../testing/clickhouse.ts';
import { startTestTelemetryStore, type TestTelemetryStore } from '../testing/telemetry-store.ts';
import { allocatorSettings, insertsAtOnce, memoryArguments } from './engine-memory.ts';

let telemetry: TestTelemetryStore;

beforeAll(async () => {
  telemetry = await startTestTelemetryStore();
});
afterAll(() => telemetry?.close());

test('all caches together have at most a quarter of the memory', () => {
  const caches = memoryArguments(1_000_000).flatMap((one) => /_cache_size=(\d+)$/.exec(one)?.[1] ?? []);
  expect(caches).toHaveLength(9);
  expect(caches.reduce((sum, size) => sum + Number(size), 0)).toBeLessThanOrEqual(250_000);
});

test('the engine uses these limits', async () => {
  const rows = await rowsOf(telemetry.client, 'SELECT name, value FROM system.server_settings WHERE changed');
  const values = new Map(rows.map((row) => [String(row.name), String(row.value)]));
  for (const argument of memoryArguments(2 * 1024 ** 3)) {
    const [name = '', value] = argument.slice(2).split('=');
    expect(values.get(name), name).toBe(value);
  }
});

test.each([
  { mebibytes: 288, inserts: 1 },
  { mebibytes: 576, inserts: 1 },
  { mebibytes: 1_600, inserts: 3 },
  { mebibytes: 16_000, inserts: 4 },
])('runs $inserts inserts at once in $mebibytes MiB', ({ mebibytes, inserts }) => {
  expect(insertsAtOnce(mebibytes * 1024 ** 2)).toBe(inserts);
});

const share = Math.floor(0.6 * 2 * 1024 ** 3);

test.each([
  { asked: undefined, given: share },
  { asked: '0', given: share },
  { asked: String(4 * 1024 ** 3), given: share },
  { asked: '100000000', given: 100_000_000 },
])('a query that asks for $asked bytes may use $given', async ({ asked, given }) => {
  const answer = await telemetry.client.query({
    query: "SELECT getSetting('max_memory_usage') AS bytes",
    format: 'JSONEachRow',
    ...(asked !== undefined && { clickhouse_settings: { max_memory_usage: asked } }),
  });
  expect((await answer.json<{ bytes: string }>()).map(({ bytes }) => Number(bytes))).toEqual([given]);
});

test('no cache of the engine is larger by default than all of its memory', async () => {
  const rows = await rowsOf(
    telemetry.client,
    // Caches of what is not used here: lakes of files, vectors, encryption, polygons, unique keys.
    `SELECT name FROM system.server_settings WHERE name LIKE '%cache_size%' AND name NOT LIKE '%ratio'
       AND NOT match(name, 'iceberg|paimon|parquet|vector|encryption|polygon|unique_key|s3_') AND toUInt64OrZero(value) > 200000000`,
  );
  expect(rows).toEqual([]);
});

test('the allocator of the engine has its settings', async () => {
  const [row] = await rowsOf(telemetry.client, 'SELECT * FROM system.jemalloc_stats');
  const stats = Object.values(row ?? {}).join();
  for (const setting of allocatorSettings.split(',')) {
    const [name, value] = setting.split(':');
    expect(stats).toMatch(new RegExp(`opt\\.${name}: ${value}\\b`));
  }
});
