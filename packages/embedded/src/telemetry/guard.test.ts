import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstValue, rowsOf } from '../testing/clickhouse.ts';
import { startTestTelemetryStore, type TestTelemetryStore } from '../testing/telemetry-store.ts';

let telemetry: TestTelemetryStore;
let client: ClickHouseClient;

beforeAll(async () => {
  telemetry = await startTestTelemetryStore();
  ({ client } = telemetry);
});
afterAll(() => telemetry?.close());

describe('rejects access beyond the store', () => {
  const readonly = { clickhouse_settings: { readonly: '1' } };

  test.each([
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT file('/etc/passwd')",
    "SELECT `file`('/etc/passwd')",
    'SELECT "fi\\x6ce"(\'/etc/passwd\')',
    "SELECT file /* really */ ('/etc/passwd')",
    "SELECT * APPLY file FROM (SELECT '/etc/passwd')",
    "SELECT * APPLY(file) FROM (SELECT '/etc/passwd')",
    "SELECT arrayMap(file, ['/etc/passwd'])",
    "SELECT mapApply(`file`, map('/etc/passwd', ''))",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM s3('http://127.0.0.1:1/bucket/key', 'a', 'b', 'LineAsString')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM executable('cat', 'TSV', 'a String')",
    "SELECT * FROM remote('127.0.0.1:1', system.one)",
  ])('with readonly: %s', async (query) => {
    await expect(rowsOf(client, query, readonly)).rejects.toMatchObject({ code: '164', type: 'READONLY' });
  });

  test.each([
    "SELECT 1 INTO OUTFILE '/tmp/fanion-must-not-exist'",
    "SELECT 1 INTO/**/OUTFILE '/tmp/fanion-must-not-exist' FORMAT CSV",
    "INSERT INTO t FROM INFILE '/etc/passwd' FORMAT LineAsString",
  ])('always: %s', async (query) => {
    await expect(client.command({ query })).rejects.toMatchObject({ code: '48' });
  });

  test('several statements in one text', async () => {
    await expect(client.command({ query: 'SELECT 1; SELECT 2' })).rejects.toMatchObject({ code: '62' });
    expect(await firstValue(client, "SELECT 'a;b' -- ; \n ;")).toBe('a;b');
  });

  test('allows a column or text named file', async () => {
    const query =
      "SELECT file, length(file) AS n, 'file(' AS text FROM (SELECT 'x' AS file) WHERE file IN ('x') -- file(";
    expect(await rowsOf(client, query, readonly)).toEqual([{ file: 'x', n: 1, text: 'file(' }]);
  });

  test('the guard knows every function of the engine that takes another function by name', async () => {
    const others = await rowsOf(
      client,
      "SELECT name FROM system.functions WHERE higher_order = 1 AND NOT match(name, '^(array|map)')",
    );
    expect(others).toEqual([]);
  });

  test('the engine has no other function named file', async () => {
    const query = `SELECT name FROM system.functions
                   WHERE lower(name) = 'file' OR alias_to = 'file' OR (name ILIKE '%file' AND name != 'file')`;
    expect(await rowsOf(client, query)).toEqual([{ name: 'file' }]);
  });
});
