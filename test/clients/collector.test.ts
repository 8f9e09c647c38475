import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, Metadata } from '@grpc/grpc-js';
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as HttpLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as HttpTraces } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { logs, traces } from '../faults/support/endpoints.ts';
import { freePort } from '../support/server-process.ts';
import { type ClientWorld, outputOf, startClientWorld } from './support.ts';

/**
 * `FANION_TEST_COLLECTOR`: an OpenTelemetry Collector with the receiver otlp, the processor batch and the exporters
 * otlp and otlphttp. `cd test/clients/collector && go build -o /tmp/collector .` builds one in a few minutes. Without one, the
 * official exporters for JavaScript send what a Collector would send, with the settings of its exporter.
 */
const program = process.env.FANION_TEST_COLLECTOR ?? 'otelcol';
const hasCollector = outputOf(program, ['--version'], 'the Collector itself; its settings are tested') !== undefined;

const guide = readFileSync(new URL('../../docs/guides/opentelemetry.md', import.meta.url), 'utf8');
const [, documented = ''] = /## The Collector\n\n```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
const itemCount = 50;

type ExporterName = 'otlphttp' | 'otlp';

describe("the guide's configuration of an OpenTelemetry Collector", () => {
  let world: ClientWorld;
  const directory = mkdtempSync(join(tmpdir(), 'fanion-collector-'));
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(async () => {
    for (const child of running) {
      const exited = once(child, 'exit');
      if (child.kill('SIGKILL')) await exited;
    }
    await world?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The documented configuration for this server. */
  function configuration(exporter: ExporterName): string {
    const config = documented.replace('http://127.0.0.1:8080', world.base);
    if (exporter === 'otlphttp') return config;
    // The guide's instructions for gRPC, below the configuration.
    return config
      .replaceAll('otlphttp', 'otlp')
      .replace(world.base, `127.0.0.1:${world.grpcPort}\n    tls: { insecure: true }`);
  }

  async function sendThroughCollector(exporter: ExporterName, batch: string): Promise<void> {
    const port = await freePort();
    const config = configuration(exporter)
      .replace('      grpc:\n      http:\n', `      http:\n        endpoint: 127.0.0.1:${port}\n`)
      .replace('service:\n', 'service:\n  telemetry:\n    metrics:\n      level: none\n');
    const file = join(directory, `${exporter}.yaml`);
    writeFileSync(file, config);
    const child = spawn(program, ['--config', file], {
      env: { ...process.env, FANION_TOKEN: world.token },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(child);
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
    });
    const times = Array.from({ length: itemCount }, (_, i) => Date.now() - 1000 - i);
    const send = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then(
        (response) => response.ok,
        () => false,
      );
    await until(() => send('/v1/traces', traces(batch, times)), 30_000).catch((error: unknown) => {
      throw new Error(`${error}: ${log.slice(-2000)}`);
    });
    await until(() => send('/v1/logs', logs(batch, times)));
  }

  /** The exporters of the configuration, made of its own text: endpoint, header, compression. */
  function exportersOf(exporter: ExporterName) {
    const config = configuration(exporter);
    const setting = (name: string) => new RegExp(`^ +${name}: (.*)$`, 'm').exec(config)?.[1] ?? '';
    expect(setting('compression')).toBe('gzip');
    const compression = CompressionAlgorithm.GZIP;
    const authorization = setting('Authorization').replace(/\$\{env:FANION_TOKEN\}/, world.token);
    const [endpoint = ''] = /(?:http:\/\/)?127\.0\.0\.1:\d+/.exec(config) ?? [];
    if (exporter === 'otlphttp') {
      // As the Collector does, which adds the path of the signal.
      const to = (signal: string) => ({ url: `${endpoint}/v1/${signal}`, headers: { authorization }, compression });
      return { traces: new HttpTraces(to('traces')), logs: new HttpLogs(to('logs')) };
    }
    const metadata = new Metadata();
    metadata.set('authorization', authorization);
    const options = { url: `http://${endpoint}`, metadata, compression, credentials: credentials.createInsecure() };
    return { traces: new GrpcTraces(options), logs: new GrpcLogs(options) };
  }

  async function sendAsCollector(exporter: ExporterName, batch: string): Promise<void> {
    const to = exportersOf(exporter);
    const tracing = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(to.traces)] });
    const logging = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter: to.logs })] });
    for (let i = 0; i < itemCount; i++) {
      tracing.getTracer('t').startSpan('work', { attributes: { batch } }).end();
      logging.getLogger('l').emit({ body: `line ${i}`, attributes: { batch } });
    }
    await Promise.all([tracing.shutdown(), logging.shutdown()]);
  }

  it.each<ExporterName>(['otlphttp', 'otlp'])('delivers all data with the exporter %s', async (exporter) => {
    const batch = `through ${exporter}`;
    await (hasCollector ? sendThroughCollector : sendAsCollector)(exporter, batch);
    await world.gives(`spans | where batch == "${batch}" | stats n=count()`, itemCount);
    await world.gives(`logs | where batch == "${batch}" | stats n=count()`, itemCount);
  });
});
