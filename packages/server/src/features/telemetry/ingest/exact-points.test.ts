import { afterAll, beforeAll, expect, it } from 'vitest';
import { metricsRequest, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTestServer, type TestServer } from './testing/http.ts';
import { startTestStore, type TestStore } from './testing/store.ts';

/** OTLP as JSON becomes protobuf at the edge, so this is also the way of protobuf. */
const at = BigInt(Date.now()) * 1_000_000n + 123_457n;
const times = { startTimeUnixNano: String(at - 60_000_000_001n), timeUnixNano: String(at) };
const largest = 2n ** 63n - 1n;
const largestCount = String(2n ** 64n - 1n);
const service = [text('service.name', 'exact')];

let integers: bigint[] = [];
let telemetry: TestStore;
let server: TestServer;
beforeAll(async () => {
  telemetry = await startTestStore();
  server = await startTestServer({ clickhouse: telemetry.clickhouse, project: 33 });
  const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  integers = [largest, -largest - 1n, 2n ** 53n + 1n, -(2n ** 60n) - 1n, 2n ** 53n, 2n ** 60n, 7n];
  const gauge = integers.map((value, i) => ({ ...times, timeUnixNano: String(at + BigInt(i)), asInt: String(value) }));
  const own = { timeUnixNano: String(at + 5n), asInt: String(largest), ...ids };
  const histogram = { ...times, count: largestCount, sum: 1, explicitBounds: [1], bucketCounts: [largestCount, '0'] };
  const counts = { offset: 0, bucketCounts: [largestCount, '1', '9007199254740993'] };
  const request = metricsRequest(
    [
      { name: 'integers', gauge: { dataPoints: gauge } },
      { name: 'read.whole', gauge: { dataPoints: [{ ...times, asInt: String(largest), exemplars: [own] }] } },
      { name: 'histogram', histogram: { aggregationTemporality: 2, dataPoints: [histogram] } },
      {
        name: 'powers',
        exponentialHistogram: {
          aggregationTemporality: 2,
          dataPoints: [{ ...times, count: largestCount, scale: 0, zeroCount: largestCount, positive: counts }],
        },
      },
      { name: 'summary', summary: { dataPoints: [{ ...times, count: largestCount, sum: 1 }] } },
    ],
    service,
  );
  const answer = await server.send('metrics', JSON.stringify(request), { 'content-type': 'application/json' });
  expect(answer.status).toBe(200);
  await server.ingest.flush();
});
afterAll(async () => {
  await server?.close();
  await telemetry?.close();
});

const read = async (sql: string) => (await telemetry.store.query(sql)).rows.map((row) => row.map(String));
const moment = (name: string, rest: string) => `toString(toUnixTimestamp64Milli(${name}) * 1000000 + ${rest})`;

it.each(['metric_points', 'metric_histograms'])('stores the nanoseconds of times and starts in %s', async (table) => {
  const rows = await read(
    `SELECT DISTINCT min(${moment('time', 'nanos')}), ${moment('start_time', 'start_nanos')} FROM ${table} WHERE project = 33 GROUP BY metric, start_time, start_nanos`,
  );
  expect(rows).toEqual([[String(at), times.startTimeUnixNano]]);
});

it('stores an integer beyond 2^53 beside its value', async () => {
  expect(await read(`SELECT toString(integer) FROM metric_points WHERE metric = 'integers' ORDER BY nanos`)).toEqual([
    ...integers.slice(0, -1).map((value) => [String(value)]),
    ['0'],
  ]);
  const whole = await read(`SELECT toString(integer) FROM metric_points WHERE metric = 'read.whole'`);
  expect(whole).toEqual([[String(largest)]]);
});

it('stores the time and the value of an exemplar exactly', async () => {
  expect(await read(`SELECT ${moment('time', 'nanos')}, toString(integer) FROM exemplars WHERE project = 33`)).toEqual([
    [String(at + 5n), String(largest)],
  ]);
});

it('stores counts of 64 bits', async () => {
  const rows = await read(
    `SELECT metric, toString(count), toString(zero_count), toString(bucket_counts), toString(positive_counts) FROM metric_histograms WHERE project = 33 ORDER BY metric`,
  );
  expect(rows).toEqual([
    ['histogram', largestCount, '0', `[${largestCount},0]`, '[]'],
    ['powers', largestCount, largestCount, '[]', `[${largestCount},1,9007199254740993]`],
    ['summary', largestCount, '0', '[]', '[]'],
  ]);
});
