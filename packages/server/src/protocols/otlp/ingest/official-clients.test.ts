import { credentials, Metadata } from '@grpc/grpc-js';
import { SpanStatusCode } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import {
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../testing/free-port.ts';
import { type SignedUp, signUp, until } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let user: SignedUp;
let token: string;
let grpcPort: number;

beforeAll(async () => {
  grpcPort = await freePort();
  server = await startTestServer({ env: { FANION_OTLP_GRPC_PORT: String(grpcPort) } });
  user = await signUp(server.base, 'otel');
  token = await user.token(['telemetry:ingest']);
});
afterAll(() => server?.stop());

interface Exporters {
  traces: SpanExporter;
  logs: ConstructorParameters<typeof BatchLogRecordProcessor>[0]['exporter'];
  metrics: PushMetricExporter;
}

function overHttp(kind: 'http/protobuf' | 'http/json', compression: CompressionAlgorithm): Exporters {
  const options = (signal: string) => ({
    url: `${server.base}/v1/${signal}`,
    headers: { authorization: `Bearer ${token}` },
    compression,
  });
  return kind === 'http/json'
    ? {
        traces: new JsonTraces(options('traces')),
        logs: new JsonLogs(options('logs')),
        metrics: new JsonMetrics(options('metrics')),
      }
    : {
        traces: new ProtobufTraces(options('traces')),
        logs: new ProtobufLogs(options('logs')),
        metrics: new ProtobufMetrics(options('metrics')),
      };
}

function overGrpc(compression: CompressionAlgorithm): Exporters {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const options = {
    url: `http://127.0.0.1:${grpcPort}`,
    metadata,
    compression,
    credentials: credentials.createInsecure(),
  };
  return {
    traces: new GrpcTraces(options),
    logs: new GrpcLogs(options),
    metrics: new GrpcMetrics(options),
  };
}

async function sendAll(service: string, exporters: Exporters): Promise<void> {
  const resource = resourceFromAttributes({ 'service.name': service });
  const traces = new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporters.traces)] });
  const logs = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter: exporters.logs })],
  });
  const metrics = new MeterProvider({
    resource,
    readers: [new PeriodicExportingMetricReader({ exporter: exporters.metrics })],
    views: [{ instrumentName: 'sizes', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
  });
  for (let i = 0; i < 50; i++) {
    const span = traces.getTracer('t').startSpan('work', { attributes: { i, list: ['a', 'b'] } });
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'no' });
    span.end();
    logs.getLogger('l').emit({ severityNumber: SeverityNumber.WARN, body: { text: `line ${i}` }, attributes: { i } });
  }
  const meter = metrics.getMeter('m');
  meter.createCounter('greetings').add(7, { language: 'en' });
  meter.createHistogram('waits').record(0.3);
  meter.createHistogram('sizes').record(300);
  await Promise.all([traces.shutdown(), logs.shutdown(), metrics.shutdown()]);
}

async function ask(query: string): Promise<unknown[][]> {
  const answer = await user.post(`${user.workspace}/query`, { query, from: 'now-1h', to: 'now+5m' });
  expect(answer.status, answer.text).toBe(200);
  return answer.data.rows;
}

describe('the official OpenTelemetry exporters', () => {
  it.each([
    ['http/protobuf', 'none', () => overHttp('http/protobuf', CompressionAlgorithm.NONE)],
    ['http/protobuf', 'gzip', () => overHttp('http/protobuf', CompressionAlgorithm.GZIP)],
    ['http/json', 'none', () => overHttp('http/json', CompressionAlgorithm.NONE)],
    ['http/json', 'gzip', () => overHttp('http/json', CompressionAlgorithm.GZIP)],
    ['grpc', 'none', () => overGrpc(CompressionAlgorithm.NONE)],
    ['grpc', 'gzip', () => overGrpc(CompressionAlgorithm.GZIP)],
  ])('%s, compression %s', async (protocol, compression, exporters) => {
    const service = `${protocol}-${compression}`;
    await sendAll(service, exporters());
    const one = async (query: string) => (await ask(query))[0]?.[0];
    const of = `where service.name == "${service}"`;
    await until(async () => (await one(`spans | ${of} and status == error | stats n=count()`)) === 50);
    await until(async () => (await one(`logs | ${of} and severity == "warn" | stats n=count()`)) === 50);
    for (const [metric, kind] of [
      ['greetings', 'sum'],
      ['waits', 'histogram'],
      ['sizes', 'exponential_histogram'],
    ]) {
      await until(async () => (await one(`metric ${metric} | ${of} and kind == ${kind} | stats n=count()`)) === 1);
    }
  });

  it('are given the endpoint to send to', async () => {
    const meta = await user.get('/api/v1/meta');
    expect(meta.data.otlp).toMatchObject({ http: server.base, http_standard_port: null, grpc_port: grpcPort });
  });
});
