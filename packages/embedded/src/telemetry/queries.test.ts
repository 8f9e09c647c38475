import { request } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmbeddedStore } from '../store.ts';
import { clientOf, firstValue, rowsOf } from '../testing/clickhouse.ts';
import { startTestTelemetryStore, type TestTelemetryStore } from '../testing/telemetry-store.ts';
import { until } from '../testing/temporary.ts';

let telemetry: TestTelemetryStore;
let store: EmbeddedStore;
let client: ClickHouseClient;
let compressing: ClickHouseClient;

beforeAll(async () => {
  telemetry = await startTestTelemetryStore();
  ({ store, client, compressing } = telemetry);
});
afterAll(() => telemetry?.close());

describe('parameters', () => {
  test.each([
    ['String', "it's"],
    ['String', 'back\\slash \\n \\\\ and a "quote" and a `tick`'],
    ['String', 'tab\t newline\n return\r nul\0 end'],
    ['String', 'Grüße 🚩 — ‘quoted’ “text” '],
    ['String', "'); DROP TABLE t; --"],
    ['String', ''],
    ['Array(String)', ["it's", 'b\\c', 'ü🚩', '', 'tab\t\n']],
    ['Array(Array(UInt8))', [[1, 2], [], [3]]],
    ['Nullable(Int64)', null],
    ['Nullable(String)', null],
    ['Nullable(String)', "not 'null'"],
    ['Array(Nullable(String))', ['a', null]],
    ['Map(String, String)', { "k'1": "v\\'1", ü: '🚩' }],
    ['Int32', -7],
    ['Float64', 1.5],
    ['Bool', true],
  ])('%s %j survives the round trip', async (type, value) => {
    const [row] = await rowsOf(client, `SELECT {value:${type}} AS value`, { query_params: { value } });
    expect(row).toEqual({ value: type === 'Nullable(Int64)' ? null : value });
  });

  test('dates and big integers', async () => {
    const [row] = await rowsOf(
      client,
      `SELECT toString({date:Date}) AS date, toString({time:DateTime64(3, 'UTC')}) AS time, toString({big:UInt64}) AS big`,
      { query_params: { date: '2026-02-28', time: new Date('2026-02-28T12:34:56.789Z'), big: 18446744073709551615n } },
    );
    expect(row).toEqual({ date: '2026-02-28', time: '2026-02-28 12:34:56.789', big: '18446744073709551615' });
  });

  test('an identifier', async () => {
    expect(await rowsOf(client, 'SELECT 1 AS {name:Identifier}', { query_params: { name: 'my `column`' } })).toEqual([
      { 'my `column`': 1 },
    ]);
  });

  test('stay separate in simultaneous queries', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        rowsOf(client, 'SELECT {n:UInt32} AS n, {s:String} AS s', { query_params: { n, s: `s${n}` } }),
      ),
    );
    expect(answers.map(([row]) => row)).toEqual(answers.map((_, n) => ({ n, s: `s${n}` })));
  });

  test('a missing one is an error with its code', async () => {
    await expect(rowsOf(client, 'SELECT {nope:String}')).rejects.toMatchObject({ code: '456' });
  });
});

describe('settings', () => {
  test('apply to their own query only', async () => {
    const threads = "SELECT getSetting('max_threads') AS threads, getSetting('readonly') AS readonly";
    const [before] = await rowsOf(client, threads);
    expect(await rowsOf(client, threads, { clickhouse_settings: { max_threads: 7, readonly: '1' } })).toEqual([
      { threads: 7, readonly: 1 },
    ]);
    expect(await rowsOf(client, threads)).toEqual([before]);
  });

  test('readonly rejects writes, and ends with its query', async () => {
    const readonly = { clickhouse_settings: { readonly: '1' } };
    await expect(client.command({ query: 'CREATE DATABASE forbidden', ...readonly })).rejects.toMatchObject({
      code: '164',
      type: 'READONLY',
    });
    for (const query of ['SET readonly = 0', 'SET max_threads = 1', 'SELECT 1 SETTINGS readonly = 0']) {
      await expect(client.command({ query, ...readonly })).rejects.toMatchObject({ code: '164' });
    }
    await client.command({ query: 'CREATE DATABASE allowed ENGINE = Atomic' });
    await client.command({ query: 'DROP DATABASE allowed' });
  });

  test('an unknown one is rejected with its code', async () => {
    await expect(rowsOf(client, 'SELECT 1', { clickhouse_settings: { nope: 1 } })).rejects.toMatchObject({
      code: '115',
      type: 'UNKNOWN_SETTING',
    });
  });

  test("USE ends with its query; the client's database applies", async () => {
    await client.command({ query: 'CREATE DATABASE IF NOT EXISTS other ENGINE = Atomic' });
    const other = clientOf(store.url, { database: 'other' });
    expect(await firstValue(other, 'SELECT currentDatabase()')).toBe('other');
    await other.close();
    await client.command({ query: 'USE other' });
    expect(await firstValue(client, 'SELECT currentDatabase()')).toBe('default');
    const missing = clientOf(store.url, { database: 'missing' });
    await expect(firstValue(missing, 'SELECT 1')).rejects.toMatchObject({ code: '81', type: 'UNKNOWN_DATABASE' });
    await missing.close();
  });
});

describe('errors', () => {
  test.each([
    ['SELEC 1', '62', 'SYNTAX_ERROR'],
    ['SELECT nope', '47', 'UNKNOWN_IDENTIFIER'],
    ['SELECT * FROM nope', '60', 'UNKNOWN_TABLE'],
    ['SELECT nope(1)', '46', 'UNKNOWN_FUNCTION'],
    ["SELECT throwIf(1, 'on purpose')", '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
    ["SELECT toUInt8('x')", '6', 'CANNOT_PARSE_TEXT'],
  ])('%s has code %s', async (query, code, type) => {
    const error: unknown = await rowsOf(client, query).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ClickHouseError);
    expect(error).toMatchObject({ code, type });
  });

  test('carry the status and the headers of ClickHouse', async () => {
    const answer = await raw({ query: 'SELECT * FROM nope', query_id: 'q-1' });
    expect(answer.status).toBe(404);
    expect(answer.headers['x-clickhouse-exception-code']).toBe('60');
    expect(answer.headers['x-clickhouse-query-id']).toBe('q-1');
    expect(answer.body.toString()).toMatch(/^Code: 60\. DB::Exception: .*\(UNKNOWN_TABLE\) \(version [\d.]+\)\n$/s);
  });

  test('a malformed URL returns an error', async () => {
    for (const path of ['//', '/nope', '/?query=%zz', '/?param_=1&query=SELECT', '/?a%20b=1&query=SELECT']) {
      const { status } = await raw({}, {}, undefined, 'POST', path);
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect(store.restarts()).toBe(0);
  });

  test('rejects a wrong password, a missing one and another user', async () => {
    for (const url of [
      store.url.replace(/default:[^@]*@/, 'default:wrong@'),
      store.url.replace(/:[^:@]*@/, ':@'),
      store.url.replace('default:', 'admin:'),
    ]) {
      const stranger = clientOf(url);
      await expect(firstValue(stranger, 'SELECT 1')).rejects.toMatchObject({
        code: '516',
        type: 'AUTHENTICATION_FAILED',
      });
      await stranger.close();
    }
  });

  test('accepts user and password in headers and in the URL', async () => {
    const { password } = new URL(store.url);
    const decoded = decodeURIComponent(password);
    const none = { authorization: '' };
    expect((await raw({ query: 'SELECT 1' }, none)).status).toBe(401);
    expect((await raw({ query: 'SELECT 1', user: 'default', password: decoded }, none)).status).toBe(200);
    const headers = { ...none, 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': decoded };
    expect((await raw({ query: 'SELECT 1' }, headers)).status).toBe(200);
    expect((await raw({ query: 'SELECT 1' }, { ...headers, 'X-ClickHouse-Key': 'wrong' })).status).toBe(401);
  });
});

describe('responses', () => {
  test('ping', async () => {
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
  });

  test('contain the query id and what was read', async () => {
    const result = await client.query({
      query: 'SELECT sum(number) FROM numbers(1000)',
      query_id: 'mine',
      format: 'JSON',
    });
    expect(result.query_id).toBe('mine');
    expect(JSON.parse(String(result.response_headers['x-clickhouse-summary']))).toMatchObject({
      read_rows: '1000',
      read_bytes: '8000',
      result_rows: '1',
    });
    expect(result.response_headers['x-clickhouse-format']).toBe('JSON');
    await result.text();
  });

  test("accept the statement in the URL, the body, or both, plain and gzip'd", async () => {
    expect((await raw({ query: 'SELECT 1' })).body.toString()).toBe('1\n');
    expect((await raw({}, {}, Buffer.from('SELECT 2'))).body.toString()).toBe('2\n');
    expect((await raw({ query: 'SELECT' }, {}, Buffer.from('3'))).body.toString()).toBe('3\n');
    expect((await raw({}, { 'Content-Encoding': 'gzip' }, gzipSync('SELECT 4'))).body.toString()).toBe('4\n');
  });

  test("are gzip'd on request", async () => {
    const parameters = { query: 'SELECT * FROM numbers(100000)', enable_http_compression: '1' };
    const answer = await raw(parameters, { 'Accept-Encoding': 'gzip' });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(answer.body).toString()).toHaveLength(588_890);
    expect((await rowsOf(compressing, 'SELECT number FROM numbers(10000)')).length).toBe(10_000);
  });

  test.each([
    'JSON',
    'JSONCompact',
    'JSONEachRow',
    'JSONCompactEachRowWithNamesAndTypes',
    'CSVWithNames',
    'TabSeparated',
    'RowBinary',
    'RowBinaryWithNamesAndTypes',
    'Native',
    'ArrowStream',
    'Parquet',
  ])('in the format %s', async (format) => {
    const answer = await raw({ query: "SELECT 1 AS a, 'x' AS b", default_format: format });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-clickhouse-format']).toBe(format);
    expect(answer.body.length).toBeGreaterThan(0);
    const named = await raw({ query: `SELECT 1 AS a, 'x' AS b FORMAT ${format}` });
    expect(named.headers['x-clickhouse-format']).toBe(format);
  });

  test('a GET cannot change anything', async () => {
    const answer = await raw({ query: 'CREATE DATABASE forbidden' }, {}, undefined, 'GET');
    expect(answer.headers['x-clickhouse-exception-code']).toBe('164');
  });

  test('a long statement succeeds when its client allows the size', async () => {
    const query = `SELECT length([${'1, '.repeat(150_000)}1])`;
    await expect(firstValue(client, query)).rejects.toMatchObject({ code: '62' });
    const settings = { max_query_size: '10000000', max_ast_elements: '1000000', max_expanded_ast_elements: '1000000' };
    expect((await raw({ ...settings }, {}, Buffer.from(query))).body.toString()).toBe('150001\n');
  });

  test('a result beyond the limit is an error with its code', async () => {
    const query = 'SELECT number, number, number, number FROM numbers(20000000)';
    await expect(client.query({ query, format: 'JSONCompact' })).rejects.toMatchObject({ code: '396' });
  });
});

const BUSY = "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64%' AND query NOT LIKE '%processes%'";

test('aborting a query stops its work', async () => {
  const abort = new AbortController();
  const heavy = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)';
  const running = client.query({ query: heavy, abort_signal: abort.signal }).then(
    () => 'finished',
    () => 'aborted',
  );
  await until(async () => (await firstValue(client, BUSY)) === '1');
  abort.abort();
  expect(await running).toBe('aborted');
  await until(async () => (await firstValue(client, BUSY)) === '0');
});

test('16 queries at once all return', async () => {
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      firstValue(client, `SELECT ${n} + sum(sipHash64(number) * 0) FROM numbers(3000000)`),
    ),
  );
  expect(answers).toEqual(answers.map((_, n) => String(n)));
});

test('a query over the memory limit fails with 241, and the store keeps running', async () => {
  const greedy = "SELECT length(groupArray(concat(toString(number), repeat('x', 100)))) FROM numbers(100000000)";
  await expect(firstValue(client, greedy)).rejects.toMatchObject({ code: '241', type: 'MEMORY_LIMIT_EXCEEDED' });
  expect(await firstValue(client, 'SELECT 1')).toBe('1');
  expect(store.restarts()).toBe(0);
});

/** A raw HTTP request, without the official client. */
function raw(
  parameters: Record<string, string>,
  headers: Record<string, string> = {},
  body?: Buffer,
  method = 'POST',
  path = `/?${new URLSearchParams(parameters)}`,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }> {
  const { hostname, port, username, password } = new URL(store.url);
  const authorization = `Basic ${Buffer.from(`${username}:${decodeURIComponent(password)}`).toString('base64')}`;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method,
        path,
        headers: { authorization, ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
