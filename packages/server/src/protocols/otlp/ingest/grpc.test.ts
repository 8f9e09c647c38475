import { connect } from 'node:http2';
import { jsonToProtobuf } from '@fanion/telemetry';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, metricsRequest, nanos, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { authenticate, startTestServer, type TestServer } from '../../../features/telemetry/ingest/testing/http.ts';
import { quietLog } from '../../../features/telemetry/ingest/testing/store.ts';
import { until } from '../../../testing/test-client.ts';
import { createOtlpGrpc, type OtlpGrpc } from './grpc.ts';

let server: TestServer;
let grpc: OtlpGrpc;
let client: Client;
let port: number;

beforeAll(async () => {
  // No test here needs a store: acknowledged data waits in the log.
  const clickhouse = { url: 'http://127.0.0.1:9', database: 'fanion' };
  server = await startTestServer({
    clickhouse,
    walMaxBytes: 3_000_000,
    limits: { drainMs: 0, inflatedBytes: 200_000, items: 100, bodies: { total: 1_000_000, project: 600_000 } },
  });
  grpc = createOtlpGrpc({ ...server.ingest.receiver(authenticate), log: quietLog });
  port = await grpc.listen('127.0.0.1', 0);
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
});
afterAll(async () => {
  client?.close();
  await grpc?.stop();
  await server?.close();
});

const services = {
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
} as const;

interface Answer {
  code: number;
  message: string;
  body: Buffer;
  /** `google.rpc.Status` from the trailers. */
  details: Buffer | undefined;
}

const asIs = (bytes: Buffer) => bytes;
function send(signal: keyof typeof services, body: Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ authorization: 'Bearer good', ...headers })) metadata.set(name, value);
  const options = { deadline: Date.now() + 20_000 };
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      services[signal],
      asIs,
      asIs,
      body,
      metadata,
      options,
      (error: ServiceError | null, answer?: Buffer) => {
        const details = error?.metadata.get('grpc-status-details-bin')[0];
        resolve({
          code: error?.code ?? status.OK,
          message: error?.details ?? '',
          body: answer ?? Buffer.alloc(0),
          details: Buffer.isBuffer(details) ? details : undefined,
        });
      },
    );
  });
}

const span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'x',
  startTimeUnixNano: nanos(Date.now()),
};
const protobuf = (signal: keyof typeof services, request: object) =>
  jsonToProtobuf(signal, Buffer.from(JSON.stringify(request)));
const good = () => protobuf('traces', tracesRequest([span]));

describe('OTLP/gRPC', () => {
  it.each([
    ['traces', tracesRequest([span])],
    ['logs', logsRequest([{ body: { stringValue: 'x' } }])],
    [
      'metrics',
      metricsRequest([{ name: 'm', gauge: { dataPoints: [{ asInt: 1, timeUnixNano: nanos(Date.now()) }] } }]),
    ],
  ] as const)('takes %s', async (signal, request) => {
    const before = server.ingest.stats().signals[signal].accepted;
    expect(await send(signal, protobuf(signal, request))).toMatchObject({ code: status.OK, body: Buffer.alloc(0) });
    expect(server.ingest.stats().signals[signal].accepted - before).toBe(1);
  });

  it('reports rejected items in partial_success', async () => {
    const answer = await send('traces', protobuf('traces', tracesRequest([span, { ...span, spanId: 'ab' }])));
    expect(answer.code).toBe(status.OK);
    expect([...answer.body.subarray(0, 4)]).toEqual([10, answer.body.length - 2, 8, 1]);
    expect(answer.body.toString('latin1')).toContain('span_id');
  });

  it.each([
    ['no token', { authorization: '' }, status.UNAUTHENTICATED],
    ['a wrong token', { authorization: 'Bearer bad' }, status.UNAUTHENTICATED],
    ['a token without the permission', { authorization: 'Bearer weak' }, status.PERMISSION_DENIED],
  ])('rejects %s with a final status', async (_, headers, code) => {
    expect(await send('traces', good(), headers)).toMatchObject({ code, details: undefined });
  });

  it('tells a rate-limited caller when to retry', async () => {
    const { code, details } = await send('traces', good(), { authorization: 'Bearer often' });
    expect([code, details?.toString('latin1')]).toEqual([
      status.RESOURCE_EXHAUSTED,
      expect.stringContaining('google.rpc.RetryInfo'),
    ]);
    // RetryInfo { retry_delay { seconds: 7 } }
    expect([...(details?.subarray(-6) ?? [])]).toEqual([18, 4, 10, 2, 8, 7]);
  });

  it('rejects malformed or oversized messages with a final status', async () => {
    const broken = await send('traces', Buffer.from([0x0a, 0xff]));
    expect(broken).toMatchObject({ code: status.INVALID_ARGUMENT, details: undefined });
    const items = Array.from({ length: 101 }, () => span);
    const many = await send('traces', protobuf('traces', tracesRequest(items)));
    expect(many).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: undefined });
    expect(many.message).toContain('100 items');
    expect((await send('traces', Buffer.alloc(200_001))).code).toBe(status.RESOURCE_EXHAUSTED);
  });

  it('never causes an internal error, for any input', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('traces' as const, 'logs' as const, 'metrics' as const),
        fc.uint8Array({ maxLength: 300 }),
        async (signal, bytes) => {
          const { code } = await send(signal, Buffer.from(bytes));
          expect([status.OK, status.INVALID_ARGUMENT]).toContain(code);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('reads nothing of a message before it identifies the caller', async () => {
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({
      ':method': 'POST',
      ':path': services.traces,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    // Only headers and no end: the response still arrives.
    const answer = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    expect(answer['grpc-status']).toBe(String(status.UNAUTHENTICATED));
    stream.close();
    session.close();
  });

  it('holds no more bytes of unfinished messages than of HTTP bodies', async () => {
    const session = connect(`http://127.0.0.1:${port}`);
    session.on('error', () => {});
    const refused: { code: string; details: string }[] = [];
    const streams = Array.from({ length: 8 }, () => {
      const stream = session.request({
        ':method': 'POST',
        ':path': services.traces,
        'content-type': 'application/grpc',
        te: 'trailers',
        authorization: 'Bearer good',
      });
      stream.on('error', () => {});
      const note = (headers: Record<string, unknown>) => {
        if (headers['grpc-status'] === undefined) return;
        refused.push({ code: String(headers['grpc-status']), details: String(headers['grpc-message']) });
      };
      stream.on('response', note).on('trailers', note).resume();
      // A message of 190,000 bytes whose last bytes never arrive.
      const head = Buffer.alloc(5);
      head.writeUInt32BE(190_000, 1);
      stream.write(Buffer.concat([head, Buffer.alloc(180_000)]));
      return stream;
    });
    await until(async () => refused.length === streams.length);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([String(status.RESOURCE_EXHAUSTED)]));
    expect(server.ingest.stats().bodyBytes).toBeLessThanOrEqual(600_000);
    session.destroy();
    await until(async () => server.ingest.stats().bodyBytes === 0);
    expect(await send('traces', good())).toMatchObject({ code: status.OK });
  });

  it('reports that the log is full, and when to retry', async () => {
    let answer = await send('traces', good());
    // Each is another one: a repeated request is stored once.
    const large = (n: number) => protobuf('traces', tracesRequest([{ ...span, name: `${n} ${'x'.repeat(150_000)}` }]));
    for (let n = 0; answer.code === status.OK; n++) answer = await send('traces', large(n));
    expect([answer.code, answer.details?.toString('latin1')]).toEqual([
      status.UNAVAILABLE,
      expect.stringContaining('google.rpc.RetryInfo'),
    ]);
  });

  it('throws when the port is in use', async () => {
    const second = createOtlpGrpc({ ...server.ingest.receiver(authenticate), log: quietLog });
    await expect(second.listen('127.0.0.1', port)).rejects.toThrow('EADDRINUSE');
    await second.stop();
  });
});
