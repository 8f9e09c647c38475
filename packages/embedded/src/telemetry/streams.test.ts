import { readFileSync } from 'node:fs';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmbeddedStore } from '../store.ts';
import { firstValue } from '../testing/clickhouse.ts';
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

/** 480 MB as text, and also for the engine. */
const LARGE = "SELECT number, repeat('x', 100) FROM numbers(4000000)";
const running = (mark: string) =>
  firstValue(
    client,
    `SELECT count() FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%processes%'`,
  );

function residentMiB(): number {
  const status = readFileSync(`/proc/${store.pid()}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

test.each([false, true])('streams a result that is larger than the limit of a whole one (gzip: %s)', async (gzip) => {
  const before = residentMiB();
  let most = 0;
  let rows = 0;
  const { stream } = await (gzip ? compressing : client).exec({
    query: `${LARGE.replace('4000000', gzip ? '1000000' : '4000000')} FORMAT JSONCompactEachRow`,
  });
  for await (const chunk of stream) {
    for (const byte of chunk as Buffer) if (byte === 10) rows++;
    most = Math.max(most, residentMiB());
  }
  expect(rows).toBe(gzip ? 1_000_000 : 4_000_000);
  expect(most - before).toBeLessThan(400);
});

test('the engine waits for its reader', async () => {
  const { stream } = await client.exec({ query: `${LARGE} FORMAT CSV -- patience` });
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  const cpu = () => {
    const fields = readFileSync(`/proc/${store.pid()}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  // It has filled the buffers in between; later it has not progressed.
  let last = -1;
  await until(async () => {
    const now = cpu();
    const isIdle = now - last <= 1;
    last = now;
    return isIdle;
  });
  expect(await running('patience')).toBe('1');
  stream.destroy();
  await until(async () => (await running('patience')) === '0');
});

test('a client that disconnects ends the query', async () => {
  const abort = new AbortController();
  const sent = client.exec({
    query: 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1 FORMAT CSV -- gone',
    abort_signal: abort.signal,
  });
  const outcome = sent.then(
    () => 'answered',
    () => 'aborted',
  );
  await until(async () => (await running('gone')) === '1');
  abort.abort();
  expect(await outcome).toBe('aborted');
  await until(async () => (await running('gone')) === '0');
});

test('a failure before the first row has a status; a later one aborts the response', async () => {
  await expect(client.exec({ query: 'SELECT nope FORMAT CSV' })).rejects.toMatchObject({ code: '47' });
  const { stream } = await client.exec({
    query: "SELECT throwIf(number = 5000000, 'too late') FROM numbers(10000000) FORMAT CSV",
  });
  let bytes = 0;
  const read = async () => {
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
  };
  await expect(read()).rejects.toThrow();
  expect(bytes).toBeGreaterThan(0);
  expect(store.restarts()).toBe(0);
});

test('settings, parameters and formats work as in other queries', async () => {
  const answer = await client.query({
    query: "SELECT {n:UInt8} AS n, getSetting('max_threads') AS threads, getSetting('readonly') AS locked",
    query_params: { n: 7 },
    clickhouse_settings: { max_threads: 3, readonly: '1' },
    format: 'JSONEachRow',
  });
  expect(await answer.json()).toEqual([{ n: 7, threads: 3, locked: 1 }]);
  const limited = client.query({
    query: 'SELECT number FROM numbers(1000)',
    format: 'CSV',
    clickhouse_settings: { max_result_rows: '10', result_overflow_mode: 'throw' },
  });
  await expect(limited).rejects.toMatchObject({ code: '396' });
  const empty = await client.query({ query: 'SELECT 1 WHERE 0', format: 'CSV' });
  expect(await empty.text()).toBe('');
});
