import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, metricsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { principal, startTestServer, type TestServer } from './testing/http.ts';
import { count, startTestStore, type TestStore } from './testing/store.ts';

const project = 21;
const now = Date.now();
const day = 86_400_000;
const late = 'time is older than the retention';
const early = 'time is more than a day in the future';
/** Nanoseconds since 1970 beyond a signed 64-bit number, and the largest possible value. */
const beyond = String(2n ** 63n);
const largest = String(2n ** 64n - 1n);
const year2262 = nanos(Date.UTC(2262, 0, 1));

let telemetry: TestStore;
let server: TestServer;
beforeAll(async () => {
  telemetry = await startTestStore();
  server = await startTestServer({ clickhouse: telemetry.clickhouse, project });
});
afterAll(async () => {
  await server?.close();
  await telemetry?.close();
});

/** What the response says about the rejected items. */
async function send(signal: string, request: object): Promise<[number, string]> {
  const answer = await server.send(signal, JSON.stringify(request), { 'content-type': 'application/json' });
  expect(answer.status).toBe(200);
  const { partialSuccess = {} } = (await answer.json()) as { partialSuccess?: Record<string, string> };
  const { errorMessage = '', ...rejected } = partialSuccess;
  return [Number(Object.values(rejected)[0] ?? 0), errorMessage];
}
const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const service = [text('service.name', 'times')];
const counted = (signal: string) =>
  telemetry.store.queryRows(
    `SELECT reason, toFloat64(sum(items)) AS items FROM ingest_refusals WHERE project = ${project} AND kind = 'rejected' AND signal = '${signal}'
     GROUP BY reason ORDER BY items DESC, reason`,
  );

describe('times', () => {
  it('of number points: accepts from the retention period ago to a day ahead, in every format', async () => {
    const { metrics: kept } = principal.retentionDays;
    const times = [
      nanos(now),
      nanos(now - (kept - 1) * day),
      nanos(now + day - 60_000),
      '0',
      nanos(1),
      nanos(now - (kept + 1) * day),
      nanos(now + day + 60_000),
      year2262,
      beyond,
      largest,
    ];
    const points = times.map((timeUnixNano) => ({ timeUnixNano, asDouble: 1 }));
    const gauge = { name: 'gauge', gauge: { dataPoints: points } };
    const histograms = points.map((point) => ({ ...point, count: '1', bucketCounts: ['1'], explicitBounds: [] }));
    const histogram = { name: 'histogram', histogram: { aggregationTemporality: 2, dataPoints: histograms } };
    const [rejected, message] = await send('metrics', metricsRequest([gauge, histogram], service));
    expect(rejected).toBe(14);
    expect(message.split('; ').sort()).toEqual([`2 × no time`, `4 × ${late}`, `8 × ${early}`].sort());
    await server.ingest.flush();
    for (const table of ['metric_points', 'metric_histograms']) {
      const rows = await telemetry.store.queryRows<{ ms: string }>(
        `SELECT toString(toUnixTimestamp64Milli(time)) AS ms FROM ${table} WHERE project = ${project} ORDER BY time`,
      );
      expect(rows.map(({ ms }) => Number(ms))).toEqual([now - (kept - 1) * day, now, now + day - 60_000]);
    }
    // Each day of a series is described in its own partition.
    expect(await count(telemetry.store, `SELECT uniqExact(day) FROM metric_series WHERE project = ${project}`)).toBe(3);
    expect(await counted('metrics')).toEqual([
      { reason: early, items: 8 },
      { reason: late, items: 4 },
      { reason: 'no time', items: 2 },
    ]);
  });

  it('of points besides their own: stores impossible times as absent, and loses no row', async () => {
    const odd = { timeUnixNano: nanos(now), asDouble: 1, startTimeUnixNano: largest };
    const exemplar = { timeUnixNano: largest, asDouble: 1, ...ids };
    const point = { ...odd, exemplars: [exemplar, { ...exemplar, timeUnixNano: '0' }] };
    expect(await send('metrics', metricsRequest([{ name: 'odd', gauge: { dataPoints: [point] } }], service))).toEqual([
      0,
      '',
    ]);
    await server.ingest.flush();
    expect(await count(telemetry.store, `SELECT count() FROM metric_points WHERE metric = 'odd'`)).toBe(1);
    expect(server.ingest.stats().quarantined).toBe(0);
  });

  it('of spans: checks start and end; an event in 2262 is harmless', async () => {
    const span = { ...ids, name: 'x', startTimeUnixNano: nanos(now) };
    const spans = [
      { ...span, endTimeUnixNano: nanos(now + 5) },
      { ...span, endTimeUnixNano: year2262 },
      { ...span, endTimeUnixNano: largest },
      { ...span, endTimeUnixNano: nanos(now), events: [{ name: 'e', timeUnixNano: largest }] },
      { ...span, endTimeUnixNano: '0' },
      { ...span, startTimeUnixNano: '0', endTimeUnixNano: nanos(now) },
      { ...span, startTimeUnixNano: nanos(86_400_000) },
      { ...span, startTimeUnixNano: year2262 },
      { ...span, startTimeUnixNano: largest },
    ];
    const [rejected, message] = await send('traces', tracesRequest(spans, service));
    expect(rejected).toBe(6);
    expect(message.split('; ').sort()).toEqual(
      [`1 × no time`, `1 × ${late}`, `2 × ${early}`, `2 × end ${early}`].sort(),
    );
    await server.ingest.flush();
    expect(await count(telemetry.store, `SELECT count() FROM spans WHERE project = ${project}`)).toBe(3);
    expect(await count(telemetry.store, `SELECT sum(spans) FROM trace_index WHERE project = ${project}`)).toBe(3);
    expect(server.ingest.stats().quarantined).toBe(0);
    expect(await counted('traces')).toEqual([
      { reason: `end ${early}`, items: 2 },
      { reason: early, items: 2 },
      { reason: 'no time', items: 1 },
      { reason: late, items: 1 },
    ]);
  });

  it('of log records: uses the time, else the observed time, else the arrival', async () => {
    const records = [
      { timeUnixNano: nanos(now - 5000), observedTimeUnixNano: largest },
      { observedTimeUnixNano: nanos(now - 3000) },
      {},
      { timeUnixNano: nanos(1) },
      { timeUnixNano: beyond },
      { observedTimeUnixNano: year2262 },
    ].map((record) => ({ ...record, body: { stringValue: 'x' } }));
    const [rejected, message] = await send('logs', logsRequest(records, service));
    expect(rejected).toBe(3);
    expect(message.split('; ').sort()).toEqual([`1 × ${late}`, `2 × ${early}`].sort());
    await server.ingest.flush();
    const rows = await telemetry.store.queryRows<{ ms: string }>(
      `SELECT toString(toUnixTimestamp64Milli(time)) AS ms FROM logs WHERE project = ${project} ORDER BY time`,
    );
    expect(rows.slice(0, 2).map(({ ms }) => Number(ms))).toEqual([now - 5000, now - 3000]);
    expect(Number(rows[2]?.ms)).toBeGreaterThanOrEqual(now);
    expect(server.ingest.stats().quarantined).toBe(0);
  });
});
