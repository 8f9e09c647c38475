import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { clientOf, firstValue } from '../testing/clickhouse.ts';
import { startTestTelemetryStore, type TestTelemetryStore } from '../testing/telemetry-store.ts';
import { rememberingLog, temporaryDirectory, until } from '../testing/temporary.ts';
import { startTelemetryStore, type TelemetryStore } from './start.ts';

let telemetry: TestTelemetryStore;
let store: TelemetryStore;
let client: ClickHouseClient;

const counts = `SELECT (SELECT count() FROM test.events) || ' ' || (SELECT sum(n) FROM test.per_kind)`;

function insert(to: ClickHouseClient, token: string, ids: readonly number[]) {
  return to.insert({
    table: 'test.events',
    format: 'JSONEachRow',
    values: ids.map((id) => ({ id, kind: `kind ${id % 3}`, day: `2026-01-0${1 + (id % 2)}` })),
    clickhouse_settings: { insert_deduplication_token: token, deduplicate_blocks_in_dependent_materialized_views: 1 },
  });
}

/** A store on a copy of what was frozen. */
async function startCopy(dir: string): Promise<{ store: TelemetryStore; client: ClickHouseClient }> {
  const copy = temporaryDirectory();
  cpSync(dir, copy, { recursive: true });
  const copied = await startTelemetryStore({ dir: copy, memoryBytes: 1024 ** 3, log: rememberingLog() });
  const copiedClient = clientOf(copied.url);
  onTestFinished(async () => {
    await copiedClient.close();
    await copied.stop();
  });
  return { store: copied, client: copiedClient };
}

beforeAll(async () => {
  telemetry = await startTestTelemetryStore();
  ({ store, client } = telemetry);
  for (const query of [
    'CREATE DATABASE test',
    `CREATE TABLE test.events (id UInt64, kind String, day Date) ENGINE = MergeTree PARTITION BY day ORDER BY id
     SETTINGS non_replicated_deduplication_window = 100`,
    `CREATE TABLE test.per_kind (kind String, n UInt64) ENGINE = SummingMergeTree ORDER BY kind
     SETTINGS non_replicated_deduplication_window = 100`,
    `CREATE MATERIALIZED VIEW test.counting TO test.per_kind AS
     SELECT kind, count() AS n FROM test.events GROUP BY kind`,
  ])
    await client.command({ query });
});
afterAll(() => telemetry?.close());

test('a copy of frozen tables has exactly the rows at the time of the freeze, and their deduplication tokens', async () => {
  await insert(client, 'a', [1, 2, 3]);
  await insert(client, 'b', [4, 5]);
  await client.command({ query: 'OPTIMIZE TABLE test.events FINAL' });
  await store.holdWrites(30_000);
  const waiting = insert(client, 'c', [6, 7, 8, 9]);
  await store.freeze('one');
  expect(await firstValue(client, counts)).toBe('5 5');
  await store.releaseWrites();
  await waiting;
  expect(await firstValue(client, counts)).toBe('9 9');
  const frozen = await store.gatherFrozen('one');
  expect(frozen.rows).toMatchObject({ 'test.events': 5 });

  const copy = await startCopy(frozen.dir);
  expect(await firstValue(copy.client, counts)).toBe('5 5');
  await insert(copy.client, 'a', [1, 2, 3]);
  await insert(copy.client, 'b', [4, 5]);
  expect(await firstValue(copy.client, counts)).toBe('5 5');
  await insert(copy.client, 'c', [6, 7, 8, 9]);
  expect(await firstValue(copy.client, counts)).toBe('9 9');
  await store.removeFrozen('one');
  expect(existsSync(frozen.dir)).toBe(false);
});

test('a copy goes on with a deletion that was not finished', async () => {
  await insert(client, 'd', [100, 101, 102]);
  await client.command({ query: 'SYSTEM STOP MERGES test.events' });
  await client.command({
    query: 'ALTER TABLE test.events DELETE WHERE id >= 100',
    clickhouse_settings: { mutations_sync: '0' },
  });
  await store.holdWrites(30_000);
  await store.freeze('two');
  await store.releaseWrites();
  const frozen = await store.gatherFrozen('two');
  const copy = await startCopy(frozen.dir);
  await until(async () => (await firstValue(copy.client, 'SELECT count() FROM test.events WHERE id >= 100')) === '0');
  await store.removeFrozen('two');
  await client.command({ query: 'SYSTEM START MERGES test.events' });
});

test('the time limit of a hold lets inserts through, and the release tells of it', async () => {
  await store.holdWrites(50);
  await insert(client, 'e', [200]);
  await expect(store.releaseWrites()).rejects.toThrow('held longer than it may be');
});

test('a table whose engine cannot be frozen fails the freeze', async () => {
  await client.command({ query: 'CREATE TABLE test.odd (id UInt64) ENGINE = Log' });
  await expect(store.freeze('three')).rejects.toThrow('test.odd of the engine Log cannot be frozen');
  await client.command({ query: 'DROP TABLE test.odd' });
  await store.removeFrozen('three');
});

test('a freeze that failed for one table freezes no others after that, so that its removal leaves nothing', async () => {
  for (let table = 1; table <= 12; table++)
    await client.command({ query: `CREATE TABLE test.table_${table} (id UInt64) ENGINE = MergeTree ORDER BY id` });
  const uuid = await firstValue(
    client,
    "SELECT toString(uuid) FROM system.tables WHERE table = 'events' AND database = 'test'",
  );
  const inTheWay = join(telemetry.dir, 'frozen/four/engine/store', uuid.slice(0, 3));
  mkdirSync(dirname(inTheWay), { recursive: true });
  writeFileSync(inTheWay, 'where the folder of the table belongs');
  await expect(store.freeze('four')).rejects.toThrow();
  await store.removeFrozen('four');
  // As long as the failed one would have gone on.
  await store.freeze('five');
  await store.removeFrozen('five');
  for (const folder of ['frozen', 'engine/shadow'])
    expect(readdirSync(join(telemetry.dir, folder))).not.toContain('four');
});

test('a start removes what a killed backup left', async () => {
  const dir = temporaryDirectory();
  for (const left of ['frozen/one/engine', 'engine/shadow/one/store']) {
    mkdirSync(join(dir, left), { recursive: true });
    writeFileSync(join(dir, left, 'data.bin'), 'rows');
  }
  const started = await startTelemetryStore({ dir, memoryBytes: 1024 ** 3, log: rememberingLog() });
  await started.stop();
  expect(existsSync(join(dir, 'frozen'))).toBe(false);
  expect(existsSync(join(dir, 'engine/shadow'))).toBe(false);
});
