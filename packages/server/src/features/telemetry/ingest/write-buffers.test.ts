import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClickHouse, createClickHouse } from '../../../platform/clickhouse/index.ts';
import { createMigratedDatabase } from '../../../platform/clickhouse/testing/migrated-database.ts';
import { quietLog } from './testing/store.ts';

/** The share of the engine in the least memory of a server. */
const SMALL_ENGINE = 256 * 1024 ** 2;
/** Of the default of 576 MiB, a sixth. */
const ONE_INSERT = 96 * 1024 ** 2;

let dir: string;
let engine: EmbeddedStore;
let store: ClickHouse;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fanion-buffers-'));
  engine = await startTelemetryStore({ dir, memoryBytes: SMALL_ENGINE, log: quietLog });
  const target = { url: engine.url, database: 'fanion' };
  await createMigratedDatabase(target);
  store = createClickHouse(target);
  // Every column in files of its own, as in a part of a full block.
  for (const table of Object.keys(rowsOf))
    await store.command(`ALTER TABLE ${table} MODIFY SETTING min_bytes_for_wide_part = 0`);
});
afterAll(async () => {
  await store?.close();
  await engine?.stop();
  await rm(dir, { recursive: true, force: true });
});

const tenant = `1 AS workspace, 1 AS project, 'production' AS environment, 30 AS retention_days, 'shop' AS service`;
const maps = `map('order', toString(number), 'host', 'a') AS string_attributes, map('host', 'a') AS resource`;
const point = `1 AS workspace, 1 AS project, 'production' AS environment, 30 AS retention_days, 'http.duration' AS metric, number AS series`;
/** The columns of a row at `$time`, by table. */
const rowsOf = {
  spans: `${tenant}, $time AS time, 5 AS duration, 'GET /' AS name, randomFixedString(16) AS trace_id, ${maps}`,
  logs: `${tenant}, $time AS time, concat('order ', toString(number)) AS body, ${maps}`,
  profile_samples: `${tenant}, $time AS time, 'cpu:nanoseconds' AS profile_type, number AS stack_id, map('host', 'a') AS resource`,
  metric_histograms: `${point}, $time AS time, 3 AS count, [1.0, 2.0] AS bounds, [1, 1, 1] AS bucket_counts`,
  flag_events: `1 AS workspace, 1 AS project, 'production' AS environment, 30 AS retention_days, $time AS time, 'new-checkout' AS flag, 'true' AS variant`,
};
type Table = keyof typeof rowsOf;

/** @param days partitions among which the rows are divided, today last */
async function insert(table: Table, { rows = 1, days = 1, memory }: { rows?: number; days?: number; memory?: number }) {
  const columns = rowsOf[table].replace('$time', `now64(3) - toIntervalDay(number % ${days})`);
  const names = [...columns.matchAll(/ AS (\w+)/g)].map(([, name]) => name);
  await store.command(`INSERT INTO ${table} (${names.join(', ')}) SELECT ${columns} FROM numbers(${rows})`, {
    settings: { max_insert_threads: 1, ...(memory !== undefined && { max_memory_usage: memory }) },
  });
}

// Each file of a part had two buffers of 1 MiB, even of one row: 297 MiB together for a span.
it.each(Object.keys(rowsOf) as Table[])('a row of %s is inserted with a sixth of the default memory', async (table) => {
  await insert(table, { memory: ONE_INSERT });
  expect((await store.query(`SELECT count() > 0 FROM ${table}`)).rows).toEqual([[1]]);
});

// Two parts have buffers at once, so such a block was never stored in the default memory, at no attempt.
it('a block of spans of two days is inserted with a quarter of the default memory', async () => {
  await insert('spans', { rows: 2, days: 2, memory: 144 * 1024 ** 2 });
});

it('a back-fill and its merges fit into the memory of the smallest engine', async () => {
  const before = await storedSpans();
  // As many parts of each table as make the engine merge while the next ones arrive.
  for (let minute = 0; minute < 8; minute++)
    for (const table of ['spans', 'logs'] as const) await insert(table, { rows: 300 });
  expect((await storedSpans()) - before).toBe(8 * 300);
  expect(await refused()).toBe(0);
});

async function storedSpans(): Promise<number> {
  return Number((await store.query('SELECT count() FROM spans')).rows[0]?.[0]);
}

/** Inserts and merges that the engine refused memory. */
async function refused(): Promise<number> {
  const { rows } = await store.query(`SELECT sum(value) FROM system.errors WHERE name = 'MEMORY_LIMIT_EXCEEDED'`);
  return Number(rows[0]?.[0]);
}
