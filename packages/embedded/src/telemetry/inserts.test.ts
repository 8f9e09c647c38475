import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EmbeddedStore } from '../store.ts';
import { clientOf, firstValue, rowsOf } from '../testing/clickhouse.ts';
import { startTestTelemetryStore, type TestTelemetryStore } from '../testing/telemetry-store.ts';
import { until } from '../testing/temporary.ts';

let telemetry: TestTelemetryStore;
let store: EmbeddedStore;
let client: ClickHouseClient;

beforeAll(async () => {
  telemetry = await startTestTelemetryStore();
  ({ store, client } = telemetry);
  await client.command({ query: 'CREATE DATABASE test ENGINE = Atomic' });
});
afterAll(() => telemetry?.close());

beforeEach(async () => {
  await client.command({ query: 'DROP TABLE IF EXISTS test.view_target' });
  await client.command({ query: 'DROP TABLE IF EXISTS test.view' });
  await client.command({ query: 'DROP TABLE IF EXISTS test.events' });
  await client.command({
    query: `CREATE TABLE test.events (
      id UInt64,
      name LowCardinality(String) DEFAULT concat('event ', toString(id)),
      tags Map(LowCardinality(String), String),
      state Enum8('on' = 1, 'it\\'s off' = 2) DEFAULT 'on',
      at DateTime64(9, 'UTC') CODEC(DoubleDelta),
      "odd \`name\`" Nullable(String),
      twice UInt64 MATERIALIZED id * 2,
      thrice UInt64 ALIAS id * 3
    ) ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100`,
  });
});

/** `rows` rows of (id UInt64, name String) as RowBinary. */
function rowBinary(rows: number, from = 0): Buffer {
  const name = Buffer.from('some event');
  const row = 8 + 1 + name.length;
  const bytes = Buffer.alloc(rows * row);
  for (let at = 0, n = 0; n < rows; n++, at += row) {
    bytes.writeBigUInt64LE(BigInt(from + n), at);
    bytes[at + 8] = name.length;
    name.copy(bytes, at + 9);
  }
  return bytes;
}

async function insertRowBinary(values: Readable, settings: Record<string, string | number> = {}, signal?: AbortSignal) {
  return client.exec({
    query: 'INSERT INTO test.events (id, name) FORMAT RowBinary',
    values,
    clickhouse_settings: settings,
    ...(signal ? { abort_signal: signal } : {}),
  });
}

test('rows as JSON, with defaults for omitted columns', async () => {
  const inserted = await client.insert({
    table: 'test.events',
    format: 'JSONEachRow',
    values: [
      { id: 1, tags: { a: 'x\ny', "it's": '\\' }, state: "it's off", 'odd `name`': "o'dd" },
      { id: 2, name: 'given', at: '2026-01-01 00:00:00.123456789' },
    ],
  });
  expect(inserted.summary).toMatchObject({ written_rows: '2' });
  expect(await rowsOf(client, 'SELECT *, twice, thrice FROM test.events ORDER BY id')).toEqual(
    [
      {
        id: 1,
        name: 'event 1',
        tags: { a: 'x\ny', "it's": '\\' },
        state: "it's off",
        at: '1970-01-01 00:00:00.000000000',
        'odd `name`': "o'dd",
        twice: 2,
        thrice: 3,
      },
      {
        id: 2,
        name: 'given',
        tags: {},
        state: 'on',
        at: '2026-01-01 00:00:00.123456789',
        'odd `name`': null,
        twice: 4,
        thrice: 6,
      },
    ].map((row) => expect.objectContaining(row)),
  );
});

test('only some columns, or all but some', async () => {
  const rows = { format: 'JSONEachRow', table: 'test.events' } as const;
  await client.insert({ ...rows, values: [{ id: 1 }], columns: ['id'] });
  await client.insert({ ...rows, values: [{ id: 2, tags: { a: 'b' } }], columns: { except: ['name', 'at'] } });
  await client.insert({ ...rows, values: [{ id: 3, 'odd `name`': 'x' }], columns: ['"odd `name`"', 'id'] });
  expect(await rowsOf(client, 'SELECT id, name, tags FROM test.events ORDER BY id')).toEqual([
    { id: 1, name: 'event 1', tags: {} },
    { id: 2, name: 'event 2', tags: { a: 'b' } },
    { id: 3, name: 'event 3', tags: {} },
  ]);
});

test('a million rows as RowBinary, in one request', async () => {
  const blocks = Array.from({ length: 10 }, (_, n) => rowBinary(100_000, n * 100_000));
  const { summary } = await insertRowBinary(Readable.from(blocks));
  expect(summary?.written_rows).toBe('1000000');
  expect(await rowsOf(client, 'SELECT count() AS n, uniqExact(id) AS ids, any(name) AS name FROM test.events')).toEqual(
    [{ n: 1_000_000, ids: 1_000_000, name: 'some event' }],
  );
});

test('a gzip body', async () => {
  const compressing = clientOf(store.url, { compression: true });
  await compressing.insert({
    table: 'test.events',
    format: 'JSONEachRow',
    values: Array.from({ length: 1_000 }, (_, id) => ({ id })),
  });
  await compressing.close();
  expect(await firstValue(client, 'SELECT count() FROM test.events')).toBe('1000');
});

test('does not interpret bytes that look like the end of a statement', async () => {
  const values = Readable.from([
    Buffer.concat([rowBinary(1), Buffer.from('\n\n;\n\n;  ').subarray(0, 8), Buffer.from('\x03;\n;')]),
  ]);
  await insertRowBinary(values);
  expect(await firstValue(client, "SELECT count() FROM test.events WHERE name = ';\\n;'")).toBe('1');
});

test('the same token twice writes once, in the table and its views', async () => {
  await client.command({
    query: `CREATE TABLE test.view_target (id UInt64) ENGINE = MergeTree ORDER BY id
            SETTINGS non_replicated_deduplication_window = 100`,
  });
  await client.command({
    query: 'CREATE MATERIALIZED VIEW test.view TO test.view_target AS SELECT id FROM test.events',
  });
  const settings = {
    insert_deduplication_token: 'segment-1/events/0',
    deduplicate_blocks_in_dependent_materialized_views: 1,
    max_insert_block_size: 1_000_000,
    min_insert_block_size_rows: 1_000_000,
    min_insert_block_size_bytes: 512 * 1024 ** 2,
  };
  const counts = `SELECT (SELECT count() FROM test.events) || ' ' || (SELECT count() FROM test.view_target)`;
  for (const _ of [1, 2, 3]) await insertRowBinary(Readable.from([rowBinary(300_000)]), settings);
  expect(await firstValue(client, counts)).toBe('300000 300000');
  await insertRowBinary(Readable.from([rowBinary(10)]), {
    ...settings,
    insert_deduplication_token: 'segment-1/events/1',
  });
  expect(await firstValue(client, counts)).toBe('300010 300010');
});

test('settings in the statement itself, as SQL clients write them', async () => {
  for (const _ of [1, 2]) {
    await client.exec({
      query: "INSERT INTO test.events (id) SETTINGS insert_deduplication_token = 'FORMAT x' FORMAT JSONEachRow",
      values: Readable.from([Buffer.from('{"id":1}\n')]),
    });
  }
  expect(await firstValue(client, 'SELECT count() FROM test.events')).toBe('1');
});

test('rows within the statement, and INSERT … SELECT', async () => {
  await client.command({ query: "INSERT INTO test.events (id, name) VALUES (1, 'a;b'), (2, 'c)')" });
  await client.command({ query: 'INSERT INTO test.events (id) FORMAT JSONEachRow\n{"id":3}\n{"id":4}' });
  await client.command({ query: 'INSERT INTO test.events (id) SELECT number + 5 FROM numbers(2)' });
  expect(await firstValue(client, 'SELECT groupArray(id) FROM (SELECT id FROM test.events ORDER BY id)')).toBe(
    '[1,2,3,4,5,6]',
  );
});

test('an insert without rows succeeds', async () => {
  await insertRowBinary(Readable.from([]));
  expect(await firstValue(client, 'SELECT count() FROM test.events')).toBe('0');
});

test('errors have their codes, and write nothing', async () => {
  const insert = (query: string, body: string) => client.exec({ query, values: Readable.from([Buffer.from(body)]) });
  await expect(insert('INSERT INTO test.nope FORMAT RowBinary', 'x')).rejects.toMatchObject({ code: '60' });
  await expect(insert('INSERT INTO test.events (nope) FORMAT RowBinary', 'x')).rejects.toMatchObject({ code: '16' });
  await expect(insert('INSERT INTO test.events (id) FORMAT Nope', 'x')).rejects.toMatchObject({ code: '73' });
  await expect(insert('INSERT INTO test.events (id) FORMAT JSONEachRow', '{"id":"x"}')).rejects.toMatchObject({
    type: expect.stringMatching(/CANNOT_PARSE/),
  });
  await expect(insert('INSERT INTO test.events (id, name) FORMAT RowBinary', 'torn')).rejects.toMatchObject({
    code: expect.stringMatching(/^(32|33)$/),
  });
  await expect(insert("INSERT INTO FUNCTION file('/tmp/x') FORMAT RowBinary", 'x')).rejects.toMatchObject({
    code: '48',
  });
  await expect(insertRowBinary(Readable.from([rowBinary(1)]), { readonly: '1' })).rejects.toMatchObject({
    code: '164',
  });
  expect(await firstValue(client, 'SELECT count() FROM test.events')).toBe('0');
});

test('deletes bodies that were inserted, rejected or interrupted', async () => {
  const spooled = () => readdirSync(join(telemetry.dir, 'spool')).length;
  await insertRowBinary(Readable.from([rowBinary(10)]));
  await insertRowBinary(Readable.from([Buffer.from('torn')])).catch(() => undefined);
  expect(spooled()).toBe(0);

  const abort = new AbortController();
  const endless = Readable.from(
    (async function* () {
      yield rowBinary(1_000);
      await new Promise(() => {});
    })(),
  );
  const cutOff = insertRowBinary(endless, {}, abort.signal).catch(() => 'aborted');
  await until(() => spooled() === 1);
  abort.abort();
  expect(await cutOff).toBe('aborted');
  await until(() => spooled() === 0);
  expect(await firstValue(client, 'SELECT count() FROM test.events')).toBe('10');
});

test('every column type of telemetry survives the transfer through a file', async () => {
  await client.command({ query: 'DROP TABLE IF EXISTS test.types' });
  await client.command({
    query: `CREATE TABLE test.types (
      a FixedString(16), b LowCardinality(Nullable(String)), c Array(Tuple(UInt64, String)), d Nested(k String, v Float64),
      e SimpleAggregateFunction(sum, UInt64), f AggregateFunction(uniq, UInt64), g Decimal(18, 4), h UUID, i IPv6,
      j LowCardinality(UInt16), k Tuple(x UInt8, y String), l Map(String, Array(String)), m Date32, n JSON
    ) ENGINE = AggregatingMergeTree ORDER BY a SETTINGS allow_dimensions_outside_sorting_key = 1`,
    clickhouse_settings: { allow_suspicious_low_cardinality_types: 1 },
  });
  await client.command({
    query: `INSERT INTO test.types SELECT 'trace', NULL, [(1, 'x')], ['k'], [1.5], 7, uniqState(number), 1.25,
      '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '::1', 4, (1, 'y'), map('k', ['v']), '2026-01-01', '{"a":{"b":1}}' FROM numbers(3)`,
  });
  const read = await client.exec({ query: 'SELECT * FROM test.types FORMAT RowBinary' });
  await client.exec({ query: 'INSERT INTO test.types FORMAT RowBinary', values: read.stream });
  expect(await firstValue(client, 'SELECT count(), sum(e), uniqMerge(f), uniq(toString(h)) FROM test.types')).toBe(
    '2\t14\t3\t1',
  );
});
