import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { type Profile, profilesRequest } from './profiling.ts';

/**
 * Within this time the exporters retry on 429, 502, 503, 504 and broken connections and respect `Retry-After`; a
 * `Retry-After` beyond it ends the attempt.
 */
const EXPORT_TIMEOUT_MS = 120_000;
const PATIENCE_MS = [1000, 3000, 9000];

/** The server has rejected the data itself (a 4xx other than 429), so a retry would not help. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
}

export interface Exporters {
  spans(items: ReadableSpan[]): Promise<void>;
  logs(items: ReadableLogRecord[]): Promise<void>;
  metrics(items: ResourceMetrics): Promise<void>;
  /** The SDK has no exporter of profiles yet. */
  profiles(items: Profile[]): Promise<void>;
  shutdown(): Promise<void>;
}

interface ExportResult {
  code: number;
  error?: Error;
}

/**
 * Creates the official OTLP exporters (HTTP, protobuf) for a server, as functions that resolve once the server has
 * acknowledged and reject with `ExportRefused`, or with the last error after the timeout.
 */
export function createExporters(options: { endpoint: string; token?: string; signal: AbortSignal }): Exporters {
  const config = (path: string) => ({
    url: new URL(path, options.endpoint).href,
    ...(options.token === undefined ? {} : { headers: { authorization: `Bearer ${options.token}` } }),
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const traces = new OTLPTraceExporter(config('/v1/traces'));
  const logs = new OTLPLogExporter(config('/v1/logs'));
  const metrics = new OTLPMetricExporter(config('/v1/metrics'));
  const patiently = (attempt: (done: (result: ExportResult) => void) => void) => send(attempt, options.signal);
  return {
    spans: (items) => patiently((done) => traces.export(items, done)),
    logs: (items) => patiently((done) => logs.export(items, done)),
    metrics: (items) => patiently((done) => metrics.export(items, done)),
    profiles: (items) => patiently((done) => void postProfiles(config('/v1development/profiles'), items).then(done)),
    async shutdown() {
      await Promise.all([traces.shutdown(), logs.shutdown(), metrics.shutdown()]);
    },
  };
}

async function postProfiles(
  { url, headers }: { url: string; headers?: Record<string, string> },
  items: Profile[],
): Promise<ExportResult> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(profilesRequest(items)),
      signal: AbortSignal.timeout(EXPORT_TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return { code: 0 };
    const error = new Error(`${response.status} ${text.slice(0, 200)}`);
    const isRefused = response.status < 500 && response.status !== 429;
    return { code: 1, error: isRefused ? Object.assign(error, { code: response.status }) : error };
  } catch (error) {
    return { code: 1, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Exports, and retries with growing pauses if the exporter's own retries were not enough. */
async function send(attempt: (done: (result: ExportResult) => void) => void, signal: AbortSignal): Promise<void> {
  for (let tries = 0; ; tries++) {
    const result = await new Promise<ExportResult>((resolve) => attempt(resolve));
    // ExportResultCode.SUCCESS, whose enum lives in a package that the SDK does not re-export.
    if (result.code === 0) return;
    const error = result.error ?? new Error('the export failed without a reason');
    const status = 'code' in error && typeof error.code === 'number' ? error.code : undefined;
    if (status !== undefined) throw new ExportRefused(`the server refused the data: ${status} ${detail(error)}`);
    const pause = PATIENCE_MS[tries];
    if (pause === undefined || signal.aborted) throw error;
    // An abort only shortens the pause: the data is sent once more, then dropped.
    await sleep(pause, undefined, { signal }).catch((reason: unknown) => {
      if (!signal.aborted) throw reason;
    });
  }
}

function detail(error: Error): string {
  const body = 'data' in error && typeof error.data === 'string' ? error.data : '';
  // A google.rpc.Status in protobuf is mostly its message; control bytes of the wire format are left out.
  return `${error.message} ${body.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200)}`.trim();
}
