import type { ClickHouseClient, DataFormat } from '@clickhouse/client';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, rowsOf } from '../testing/clickhouse.ts';
import { startTestTelemetryStore, type TestTelemetryStore } from '../testing/telemetry-store.ts';

let telemetry: TestTelemetryStore;
const clients: Record<string, ClickHouseClient> = {};

beforeAll(async () => {
  telemetry = await startTestTelemetryStore();
  for (const database of ['one', 'two']) {
    await telemetry.client.command({ query: `CREATE DATABASE ${database} ENGINE = Atomic` });
    await telemetry.client.command({
      query: `CREATE TABLE ${database}.here (name String) ENGINE = MergeTree ORDER BY name AS SELECT '${database}'`,
    });
    clients[database] = clientOf(telemetry.store.url, { database });
  }
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  await telemetry?.close();
});

/** Each setting that the server sends with a read, and some that would show in an answer. */
const settings = {
  max_execution_time: fc.integer({ min: 5, max: 600 }),
  max_rows_to_read: fc.integer({ min: 1_000_000, max: 2_000_000_000 }).map(String),
  read_overflow_mode: fc.constant('throw'),
  max_memory_usage: fc.integer({ min: 500_000_000, max: 900_000_000 }).map(String),
  max_result_rows: fc.integer({ min: 100_000, max: 200_000 }).map(String),
  max_result_bytes: fc.integer({ min: 10_000_000, max: 64_000_000 }).map(String),
  result_overflow_mode: fc.constant('throw'),
  date_time_output_format: fc.constantFrom('iso', 'simple'),
  additional_table_filters: fc.constant("{'here':'0'}"),
  use_query_condition_cache: fc.constantFrom(0, 1),
  optimize_move_to_prewhere: fc.constantFrom(0, 1),
  query_plan_optimize_prewhere: fc.constantFrom(0, 1),
  output_format_json_quote_64bit_integers: fc.constantFrom(0, 1),
  output_format_json_quote_denormals: fc.constantFrom(0, 1),
  max_threads: fc.integer({ min: 1, max: 8 }),
  // Blocks of one row would make 20,000 chunks of a stream.
  max_block_size: fc.integer({ min: 100, max: 1000 }),
  join_use_nulls: fc.constantFrom(0, 1),
  session_timezone: fc.constantFrom('UTC', 'Asia/Tokyo'),
  final: fc.constantFrom(0, 1),
};

const statement = fc.record({
  database: fc.constantFrom('one', 'two'),
  settings: fc.record(settings, { requiredKeys: [] }),
  params: fc.record({ a: fc.string(), b: fc.string(), c: fc.array(fc.string()) }, { requiredKeys: [] }),
  kind: fc.constantFrom(
    'read',
    'read',
    'stream',
    'half a stream',
    'error',
    'error of a setting',
    'abort',
    'set',
    'use',
    'temporary table',
    'write',
    'format',
  ),
});
type Statement = typeof statement extends fc.Arbitrary<infer S> ? S : never;

async function run({ database, settings: chosen, params, kind }: Statement): Promise<void> {
  const settings: Record<string, string | number> = chosen;
  const client = clients[database] as ClickHouseClient;
  const names = Object.keys(params).map((name) => `{${name}:${name === 'c' ? 'Array(String)' : 'String'}}`);
  const select = `SELECT ${[...names, '1'].join(', ')}`;
  const readonly = { query_params: params, clickhouse_settings: { ...settings, readonly: '1' } };
  const read = (query: string, more = {}) =>
    client.exec({ query, ...readonly, ...more }).then(async ({ stream }) => {
      for await (const _ of stream);
    });
  const refused = (work: Promise<unknown>) => expect(work).rejects.toThrow();
  const plain = { query_params: params, clickhouse_settings: settings };
  switch (kind) {
    case 'read':
      return read(`${select} FROM here FORMAT JSONCompact`);
    case 'format':
      return read(`${select} FORMAT RowBinary`);
    case 'stream':
      return read(`${select} FROM numbers(20000) FORMAT JSONCompactEachRow`);
    case 'half a stream': {
      const { stream } = await client.exec({
        query: `${select} FROM numbers(100000000) FORMAT JSONCompactEachRow`,
        ...readonly,
        // Limits of its own would end it before it is left.
        clickhouse_settings: { ...settings, max_result_rows: '0', max_rows_to_read: '0', readonly: '1' },
      });
      for await (const _ of stream) break;
      return;
    }
    case 'error':
      return refused(read(`${select}, throwIf(number = 10) FROM numbers(100) FORMAT JSONCompact`));
    case 'error of a setting':
      return refused(client.exec({ query: select, clickhouse_settings: { ...settings, nope: 1, readonly: '1' } }));
    case 'abort': {
      const abort = new AbortController();
      const query = `${select} FROM (SELECT sum(sipHash64(number)) FROM numbers(100000000000)) FORMAT JSONCompact`;
      const running = read(query, { abort_signal: abort.signal });
      setImmediate(() => abort.abort());
      return refused(running);
    }
    case 'set':
      await client.command({ query: 'SET max_threads = 3', ...plain });
      return;
    case 'use':
      await client.command({ query: 'USE system', ...plain });
      return;
    case 'temporary table':
      await client.command({ query: 'CREATE TEMPORARY TABLE here (name String)', ...plain });
      return;
    case 'write':
      await client.command({ query: 'CREATE TABLE IF NOT EXISTS other (a UInt8) ENGINE = Memory', ...plain });
  }
}

const format = { format: 'JSONEachRow' as DataFormat };

/** What a read finds that brings no settings of its own. */
async function found(database: string) {
  const client = clients[database] as ClickHouseClient;
  const probe = { clickhouse_settings: { readonly: '1' } } as const;
  const changed = await rowsOf(
    client,
    "SELECT name, value FROM system.settings WHERE changed AND name != 'log_comment' ORDER BY name",
    probe,
  );
  const where = await rowsOf(
    client,
    `SELECT currentDatabase() AS database, (SELECT any(name) FROM here) AS name, toDateTime('2026-01-01 00:00:00', 'UTC') AS time,
       timezone() AS zone, toTypeName(x) AS joined, toInt64(1) AS big
     FROM (SELECT 1 AS k) AS l LEFT JOIN (SELECT 2 AS k, 1 AS x) AS r USING (k)`,
    probe,
  );
  const unbound = [];
  for (const name of ['a', 'b', 'c'])
    unbound.push(
      await client.query({ query: `SELECT {${name}:String}`, ...format, ...probe }).then(
        (answer) => answer.text(),
        (error: { code?: string }) => error.code,
      ),
    );
  return { changed, where, unbound };
}

// Hundreds of statements, one after the other.
test('no setting, parameter, database, temporary table or readonly state reaches the next statement', {
  timeout: 600_000,
}, async () => {
  const before = { one: await found('one'), two: await found('two') };
  expect(before.one.unbound).toEqual(['456', '456', '456']);
  expect(before.one.where).toMatchObject([{ database: 'one', name: 'one' }]);
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 6 }), async (statements) => {
      for (const one of statements) {
        await run(one);
        expect(await found(one.database)).toEqual(before[one.database as 'one' | 'two']);
      }
    }),
    { numRuns: 25 },
  );
});

test('a parameter of one statement is no value of the next', async () => {
  const client = clients.one as ClickHouseClient;
  const readonly = { clickhouse_settings: { readonly: '1' } } as const;
  const secret = { ...readonly, query_params: { secret: 'of another tenant' } };
  expect(await rowsOf(client, 'SELECT {secret:String} AS s', secret)).toEqual([{ s: 'of another tenant' }]);
  for (const query of ['SELECT {secret:String}', 'SELECT {/**/secret/**/:String}', 'SELECT {`secret`:String}'])
    await expect(rowsOf(client, query, readonly), query).rejects.toThrow();
});

test('a read in a database that was dropped fails as on a new connection', async () => {
  await telemetry.client.command({ query: 'CREATE DATABASE three ENGINE = Atomic' });
  const client = clientOf(telemetry.store.url, { database: 'three' });
  const readonly = { clickhouse_settings: { readonly: '1' } } as const;
  expect(await rowsOf(client, 'SELECT currentDatabase() AS d', readonly)).toEqual([{ d: 'three' }]);
  await telemetry.client.command({ query: 'DROP DATABASE three' });
  await expect(rowsOf(client, 'SELECT 1', readonly)).rejects.toMatchObject({ code: '81' });
  await client.close();
});
