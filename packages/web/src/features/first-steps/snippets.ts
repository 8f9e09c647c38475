/**
 * The settings and programs of the first-steps page. Pure, so that a test can run exactly what people copy.
 * `endpoint` is the OTLP/HTTP base URL without `/v1/…`; `token` is an API token with `telemetry:ingest`.
 */

/** Environment variables that point any OpenTelemetry SDK at this server. */
export function exporterSettings(endpoint: string, token: string): string {
  return [
    `export OTEL_EXPORTER_OTLP_ENDPOINT="${endpoint}"`,
    `export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer ${token}"`,
    'export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"',
  ].join('\n');
}

/** The packages that `TELEMETRY_PROGRAM` imports. */
export const TELEMETRY_PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-logs-otlp-proto',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-logs',
  '@opentelemetry/sdk-trace-node',
] as const;

/** A minimal OpenTelemetry program for Node.js: one trace with a log line. Reads the exporter settings. */
export const TELEMETRY_PROGRAM = `import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const resource = resourceFromAttributes({ 'service.name': 'hello' });
const spans = new BatchSpanProcessor(new OTLPTraceExporter());
const records = new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() });
const traces = new NodeTracerProvider({ resource, spanProcessors: [spans] });
const logs = new LoggerProvider({ resource, processors: [records] });
traces.register();
traces.getTracer('hello').startActiveSpan('say hello', (span) => {
  logs.getLogger('hello').emit({ severityNumber: 9, severityText: 'INFO', body: 'Hello, Fanion' });
  span.end();
});
await Promise.all([traces.shutdown(), logs.shutdown()]);
`;

/** Sends one span with curl, without an SDK. Uses the time of the shell. */
export function curlCommand(endpoint: string, token: string): string {
  return `curl -sS "${endpoint}/v1/traces" \\
  -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" \\
  -d '{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"hello"}}]},
       "scopeSpans":[{"spans":[{"traceId":"'$(openssl rand -hex 16)'","spanId":"'$(openssl rand -hex 8)'",
       "name":"say hello","kind":2,"startTimeUnixNano":"'$(date +%s)000000000'",
       "endTimeUnixNano":"'$(date +%s)250000000'"}]}]}]}'`;
}

/** The packages that `flagProgram` imports. */
export const FLAG_PACKAGES = ['@openfeature/server-sdk', '@openfeature/ofrep-provider'] as const;

/** Reads a flag's value with the OpenFeature SDK and its OFREP provider. */
export function flagProgram(baseUrl: string, key: string, flag = 'new-checkout'): string {
  return `import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';

const headers = [['Authorization', 'Bearer ${key}']];
await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: '${baseUrl}', headers }));
const flags = OpenFeature.getClient();
console.log(await flags.getBooleanDetails('${flag}', false, { targetingKey: 'user-1', country: 'DE' }));
`;
}
