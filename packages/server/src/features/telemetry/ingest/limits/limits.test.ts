import { gzipSync } from 'node:zlib';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, metricsRequest, nanos, text } from '../../../../../../telemetry/src/testing/otlp.ts';
import { writeRequest1 } from '../../../../../../telemetry/src/testing/remote-write.ts';
import { createOtlpGrpc } from '../../../../protocols/index.ts';
import { principal, startTestServer, type TestServer } from '../testing/http.ts';
import { count, quietLog, startTestStore, type TestStore } from '../testing/store.ts';
import { countedReason } from './refusals.ts';

let telemetry: TestStore;
let server: TestServer;

beforeAll(async () => {
  telemetry = await startTestStore();
});
afterEach(() => server?.close());
afterAll(() => telemetry?.close());

async function start(
  limits: NonNullable<Parameters<typeof startTestServer>[0]['limits']>,
  project = principal.project,
): Promise<void> {
  server = await startTestServer({ clickhouse: telemetry.clickhouse, limits, project });
}
const json = { 'content-type': 'application/json' };
const lines = (n: number) =>
  JSON.stringify(logsRequest(Array.from({ length: n }, () => ({ body: { stringValue: 'x' } }))));
const send = (signal: string, body: string, token = 'good') =>
  server.send(signal, body, { ...json, authorization: `Bearer ${token}` });

/** Sends one message over gRPC and returns the error. */
async function callGrpc(service: string, message: Buffer): Promise<ServiceError | null> {
  const grpc = createOtlpGrpc({ ...server.ingest.receiver(server.authenticate), log: quietLog });
  const port = await grpc.listen('127.0.0.1', 0);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', 'Bearer good');
  const asIs = (bytes: Buffer) => bytes;
  const path = `/opentelemetry.proto.collector.${service}/Export`;
  const error = await new Promise<ServiceError | null>((resolve) => {
    client.makeUnaryRequest(path, asIs, asIs, message, metadata, (refused: ServiceError | null) => resolve(refused));
  });
  client.close();
  await grpc.stop();
  return error;
}

describe('the rate of a project', () => {
  it('is limited for that project only, with a retry delay', async () => {
    await start({ rate: { itemsPerSecond: 1, bytesPerSecond: 1e9 } });
    expect((await send('logs', lines(100))).status).toBe(200);
    const refused = await send('logs', lines(1));
    expect([refused.status, await refused.json()]).toEqual([429, { code: 8, message: expect.any(String) }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect((await send('logs', lines(1), 'other')).status).toBe(200);
    await server.ingest.flush();
    const limited = `SELECT sum(items) FROM ingest_refusals WHERE kind = 'refused' AND reason = 'the project exceeds its ingest rate limit'`;
    expect(await count(telemetry.store, `${limited} AND project = ${principal.project}`)).toBe(1);
  });

  it('is limited by bytes, over gRPC too', async () => {
    await start({ rate: { itemsPerSecond: 1e9, bytesPerSecond: 1 } });
    expect((await send('logs', lines(100))).status).toBe(200);
    const error = await callGrpc('logs.v1.LogsService', Buffer.alloc(0));
    expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
    expect(String(error?.metadata.get('grpc-status-details-bin')[0])).toContain('google.rpc.RetryInfo');
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

  it('are limited: known series continue; new ones beyond the limit are rejected, reported and counted', async () => {
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

  it.each([
    ['samples', false],
    ['samples and an exemplar', true],
  ])('are limited for remote write of %s, whose answer counts what is stored', async (_, withExemplar) => {
    const project = withExemplar ? 21 : 20;
    await start({ seriesPerDay: 100 }, project);
    const write = async (from: number, to: number) => {
      const series = Array.from({ length: to - from }, (_, i) => ({
        labels: { __name__: 'written', i: String(from + i) },
        samples: [{ value: i, time: Date.now() }],
        ...(withExemplar && i === 0 && { exemplars: [{ labels: {}, value: 1, time: Date.now() }] }),
      }));
      const headers = { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' };
      const answer = await server.send('../prometheus/api/v1/write', writeRequest1(series), headers);
      return [answer.status, Number(answer.headers.get('x-prometheus-remote-write-samples-written'))];
    };
    expect(await write(0, 60)).toEqual([204, 60]);
    await server.ingest.flush();
    expect(await write(0, 90)).toEqual([204, 90]);
    await server.ingest.flush();
    expect(await write(0, 150)).toEqual([400, 100]);
    await server.ingest.flush();
    const stored = `SELECT count() FROM metric_points WHERE metric = 'written' AND project = ${project}`;
    expect(await count(telemetry.store, stored)).toBe(60 + 90 + 100);
  });
});

describe('rejected data', () => {
  it('is counted by reason', async () => {
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

  it('is counted per request when the whole request is rejected, on every endpoint', async () => {
    const project = 11;
    await start({ inflatedBytes: 10_000, items: 50, rate: { itemsPerSecond: 1000, bytesPerSecond: 1e6 } }, project);
    const protobuf = { 'content-type': 'application/x-protobuf' };
    const of = (path: string, body: string | Uint8Array, headers: Record<string, string>) =>
      server.send(`../${path}`, body, headers).then((answer) => answer.status);
    const hash = 'x'.repeat(20_000);
    expect([
      await of('v1/traces', '{', json),
      await of('v1/traces', '{"resourceSpans": 12}', json),
      await of('v1/traces', Buffer.from([0x0a, 0xff]), protobuf),
      await of('v1/traces', Buffer.from([0x0a, 0xff]), { ...protobuf, 'content-encoding': 'gzip' }),
      await of('v1/logs', hash, json),
      await of('v1/logs', gzipSync(hash), { ...json, 'content-encoding': 'gzip' }),
      await of('v1/logs', lines(51), json),
      await of('v1/logs', '{}', { ...json, 'content-encoding': 'br' }),
      await of('v1/logs', '<x/>', { 'content-type': 'text/xml' }),
      await of('v1/logs', '{', { ...json, authorization: 'Bearer wrong' }),
      await of('prometheus/api/v1/write', 'x', { 'content-encoding': 'snappy' }),
      await of('loki/api/v1/push', '{', json),
      await of('api/v2/spans', '{', json),
      await of('v1development/profiles/pprof', 'not a profile', {}),
    ]).toEqual([400, 400, 400, 400, 413, 413, 413, 415, 415, 401, 400, 400, 400, 400]);
    expect((await callGrpc('metrics.v1.MetricsService', Buffer.from([0x0a, 0xff])))?.code).toBe(
      status.INVALID_ARGUMENT,
    );
    expect((await callGrpc('metrics.v1.MetricsService', Buffer.alloc(20_000)))?.code).toBe(status.RESOURCE_EXHAUSTED);
    await server.ingest.flush();
    const rows = await telemetry.store.queryRows<{ signal: string; reason: string; n: number }>(
      `SELECT signal, reason, toFloat64(sum(items)) AS n FROM ingest_refusals WHERE kind = 'refused' AND project = ${project}
       GROUP BY signal, reason ORDER BY signal, n DESC, reason`,
    );
    expect(rows.map(({ signal, reason, n }) => `${signal}: ${n} ${reason}`)).toEqual([
      'logs: 1 more than 50 items in one request',
      'logs: 1 the body cannot be read',
      'logs: 1 the body inflates to more than 10000 bytes',
      'logs: 1 the body is larger than 10000 bytes',
      'logs: 1 unsupported content encoding; supported: gzip, identity',
      'logs: 1 unsupported content type; use application/x-protobuf or application/json',
      'metrics: 1 message incomplete, or larger than 10000 bytes',
      'metrics: 1 the body ends within a number',
      'metrics: 1 the body is not Snappy in block format',
      'profiles: 1 wire type N',
      'traces: 3 the body cannot be read',
      'traces: 1 the body ends within a number',
      'traces: 1 the body is not gzip',
    ]);
  });

  it('has few distinct reasons for any input', () => {
    expect(countedReason('values are nested deeper than 64 levels')).toBe('values are nested deeper than N levels');
    expect(countedReason('resourceSpans: [7] expected an object')).toBe('the body cannot be read');
  });
});
