import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { authenticate, principal, startTestServer, type TestServer } from '../testing/http.ts';
import { logsRequest, metricsRequest, nanos, text } from '../testing/otlp.ts';
import { count, startTestStore, type TestStore } from '../testing/store.ts';

let telemetry: TestStore;
let server: TestServer;

beforeAll(async () => {
  telemetry = await startTestStore();
});
afterEach(() => server?.close());
afterAll(() => telemetry?.close());

async function start(limits: NonNullable<Parameters<typeof startTestServer>[0]['limits']>): Promise<void> {
  server = await startTestServer({ clickhouse: telemetry.clickhouse, limits });
}
const json = { 'content-type': 'application/json' };
const lines = (n: number) =>
  JSON.stringify(logsRequest(Array.from({ length: n }, () => ({ body: { stringValue: 'x' } }))));
const send = (signal: string, body: string, token = 'good') =>
  server.send(signal, body, { ...json, authorization: `Bearer ${token}` });

describe('the rate of a project', () => {
  it('is limited, with a word when to come again, and only that project is', async () => {
    await start({ rate: { itemsPerSecond: 1, bytesPerSecond: 1e9 } });
    expect((await send('logs', lines(100))).status).toBe(200);
    const refused = await send('logs', lines(1));
    expect([refused.status, await refused.json()]).toEqual([429, { code: 8, message: expect.any(String) }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect((await send('logs', lines(1), 'other')).status).toBe(200);
  });

  it('is limited by bytes, and the same over gRPC', async () => {
    await start({ rate: { itemsPerSecond: 1e9, bytesPerSecond: 100 } });
    expect((await send('logs', lines(100))).status).toBe(200);
    const grpc = server.ingest.grpc({ authenticate });
    const port = await grpc.listen('127.0.0.1', 0);
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('authorization', 'Bearer good');
    const asIs = (bytes: Buffer) => bytes;
    const path = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
    const error = await new Promise<ServiceError | null>((resolve) => {
      client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), metadata, (refused: ServiceError | null) =>
        resolve(refused),
      );
    });
    expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(String(error?.metadata.get('grpc-status-details-bin')[0])).toContain('google.rpc.RetryInfo');
    client.close();
    await grpc.stop();
  });
});

describe('the series of a project', () => {
  const gauge = (metric: string, from: number, to: number) => {
    const dataPoints = Array.from({ length: to - from }, (_, i) => ({
      timeUnixNano: nanos(Date.now()),
      asInt: 1,
      attributes: [text('i', String(from + i))],
    }));
    return JSON.stringify(metricsRequest([{ name: metric, gauge: { dataPoints } }]));
  };
  const accepted = async (body: string, token?: string) => {
    const answer = (await (await send('metrics', body, token)).json()) as {
      partialSuccess?: { rejectedDataPoints: string; errorMessage: string };
    };
    return [Number(answer.partialSuccess?.rejectedDataPoints ?? 0), answer.partialSuccess?.errorMessage ?? ''];
  };

  it('are limited: known ones go on, new ones beyond are refused, told and counted', async () => {
    await start({ seriesPerDay: 100 });
    expect(await accepted(gauge('wide', 0, 60))).toEqual([0, '']);
    await server.ingest.flush();
    expect(await accepted(gauge('wide', 0, 90))).toEqual([0, '']);
    await server.ingest.flush();
    expect(await accepted(gauge('wide', 0, 150))).toEqual([50, expect.stringContaining('the series is new')]);
    expect(await accepted(gauge('wide', 0, 100))).toEqual([0, '']);
    expect(await accepted(gauge('wide', 200, 210))).toEqual([10, expect.anything()]);
    expect(await accepted(gauge('wide', 200, 210), 'other')).toEqual([0, '']);
    await server.ingest.flush();
    const of = `metric = 'wide' AND project = ${principal.project}`;
    expect(await count(telemetry.store, `SELECT count() FROM metric_points WHERE ${of}`)).toBe(60 + 90 + 100 + 100);
    expect(await count(telemetry.store, `SELECT uniqExact(series) FROM metric_series WHERE ${of}`)).toBe(100);
    const dropped = `SELECT sum(items) FROM ingest_refusals WHERE kind = 'dropped' AND signal = 'metrics' AND project = ${principal.project}`;
    expect(await count(telemetry.store, dropped)).toBe(60);
  });
});

describe('what is refused', () => {
  it('is counted by its reason', async () => {
    await start({});
    const records = [
      { traceId: 'ab' },
      { traceId: 'ab' },
      { timeUnixNano: '1000000000' },
      { body: { stringValue: 'x' } },
    ];
    expect((await send('logs', JSON.stringify(logsRequest(records)))).status).toBe(200);
    await server.ingest.flush();
    const rows = await telemetry.store.queryRows(
      `SELECT reason, toFloat64(sum(items)) AS items FROM ingest_refusals
       WHERE kind = 'rejected' AND signal = 'logs' AND environment = 'production' AND workspace = ${principal.workspace} GROUP BY reason ORDER BY items DESC`,
    );
    expect(rows).toEqual([
      { reason: 'trace_id is not 16 bytes', items: 2 },
      { reason: 'time is older than the retention', items: 1 },
    ]);
  });
});
