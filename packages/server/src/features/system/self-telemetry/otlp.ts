import { createHash } from 'node:crypto';
import type { LogLine } from '../../../platform/log-lines.ts';
import type { Answered } from './rules.ts';

/** OTLP as JSON (opentelemetry-proto 1.x, `docs/specification.md` of OTLP: JSON Protobuf encoding). */
type Value = { stringValue: string } | { doubleValue: number } | { intValue: string } | { boolValue: boolean };
interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** What identifies this server in its telemetry. */
export interface Self {
  readonly version: string;
  readonly replica: string;
  /** `api,ingest,flags,jobs` or some of them. */
  readonly roles: string;
  /** When the process started, in Unix milliseconds: counters count since then. */
  readonly startedAt: number;
}

/** A metric as `Registry.getMetricsAsJSON` of prom-client returns it. */
export interface OwnMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string | number;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly metricName?: string | undefined;
  }[];
}

/** A span, a log record, or a metric with several points. */
export interface OwnItem {
  readonly json: object;
  readonly count: number;
}

export type OwnSignal = 'metrics' | 'traces' | 'logs';

const mostTextLength = 4_096;
/** Items of one request, which bounds the time of a single step on the event loop. */
const mostOfRequest = 200;
const scope = { name: 'fanion' };

/** OTLP requests with all of these items. */
export function* requestsOf(
  signal: OwnSignal,
  items: readonly OwnItem[],
  self: Self,
): Generator<{ body: Buffer; count: number }> {
  const resource = resourceOf(self);
  for (let from = 0; from < items.length; ) {
    let to = from;
    let count = 0;
    do count += items[to++]?.count ?? 0;
    while (to < items.length && count + (items[to]?.count ?? 0) <= mostOfRequest);
    const list = items.slice(from, to).map(({ json }) => json);
    yield { body: Buffer.from(JSON.stringify(wrapped(signal, resource, list))), count };
    from = to;
  }
}

function wrapped(signal: OwnSignal, resource: object, list: readonly object[]): object {
  switch (signal) {
    case 'metrics':
      return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: list }] }] };
    case 'traces':
      return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: list }] }] };
    case 'logs':
      return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: list }] }] };
  }
}

function resourceOf({ version, replica, roles }: Self) {
  return {
    attributes: attributesOf({
      'service.name': 'fanion',
      'service.version': version,
      'service.instance.id': replica,
      'fanion.role': roles,
    }),
  };
}

/** The ids of a request's only span: its log lines have them too. */
export function spanIds(requestId: string): { readonly traceId: string; readonly spanId: string } {
  const hash = createHash('sha256').update(requestId).digest('hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}

/** Without the query of the address, which may contain what people search for. `endedAt`: Unix milliseconds. */
export function spanOf({ requestId, route, status, durationMs }: Answered, endedAt: number): OwnItem {
  const path = route.prefix + route.path;
  const json = {
    ...spanIds(requestId),
    name: `${route.method} ${path}`,
    kind: 2,
    startTimeUnixNano: nanosOf(endedAt - durationMs),
    endTimeUnixNano: nanosOf(endedAt),
    attributes: attributesOf({
      'http.request.method': route.method,
      'http.route': path,
      'http.response.status_code': status,
      'fanion.route': route.id,
      'fanion.request_id': requestId,
    }),
    status: status >= 500 ? { code: 2 } : {},
  };
  return { json, count: 1 };
}

/**
 * Marks a span as one of several that it stands for, as OpenTelemetry's consistent sampling does: `th` is the threshold
 * below which a random number of 56 bits is rejected, so that queries count the span as `1 / share`.
 */
export function sampledSpan({ json, count }: OwnItem, share: number): OwnItem {
  const rejected = Math.round((1 - share) * 2 ** 48);
  const threshold = rejected.toString(16).padStart(12, '0').replace(/0+$/, '');
  return share === 1 ? { json, count } : { json: { ...json, traceState: `ot=th:${threshold || '0'}` }, count };
}

/** @param now for a line without a time, in Unix milliseconds */
export function logRecordOf({ level, time, msg, reqId, err, ...fields }: LogLine, now: number): OwnItem {
  const at = Date.parse(time ?? '');
  const [severityNumber, severityText] = severityOf(level);
  const json = {
    timeUnixNano: nanosOf(Number.isNaN(at) ? now : at),
    severityNumber,
    severityText,
    body: { stringValue: shortened(msg ?? '') },
    attributes: attributesOf({ ...fields, ...exceptionOf(err), 'fanion.request_id': reqId }),
    ...(reqId !== undefined && spanIds(reqId)),
  };
  return { json, count: 1 };
}

function severityOf(level: number): [number, string] {
  if (level >= 60) return [21, 'FATAL'];
  if (level >= 50) return [17, 'ERROR'];
  return level >= 40 ? [13, 'WARN'] : [9, 'INFO'];
}

function exceptionOf(err: unknown): Readonly<Record<string, unknown>> {
  if (typeof err !== 'object' || err === null) return {};
  const { type, message, stack } = err as Readonly<Record<string, unknown>>;
  return { 'exception.type': type, 'exception.message': message, 'exception.stacktrace': stack };
}

/**
 * Converts metrics to OTLP under their names on `/internal/metrics`: counters become cumulative sums, histograms
 * explicit-bucket histograms.
 * @param most points that are kept, in the order of the metrics
 */
export function metricsOf(metrics: readonly OwnMetric[], { startedAt }: Self, now: number, most: number) {
  const times = { startTimeUnixNano: nanosOf(startedAt), timeUnixNano: nanosOf(now) };
  let room = most;
  let dropped = 0;
  const items = metrics.flatMap(({ name, help, type, values }): OwnItem[] => {
    const points = type === 'histogram' ? histogramPoints(values) : values.map(numberPoint);
    const dataPoints = points.slice(0, room).map((point) => ({ ...point, ...times }));
    const count = dataPoints.length;
    room -= count;
    dropped += points.length - count;
    if (count === 0) return [];
    return [{ json: { name, description: help, ...dataOf(type, dataPoints) }, count }];
  });
  return { items, dropped };
}

function dataOf(type: OwnMetric['type'], dataPoints: readonly object[]): object {
  const cumulative = { aggregationTemporality: 2, dataPoints };
  if (type === 'histogram') return { histogram: cumulative };
  return type === 'counter' ? { sum: { ...cumulative, isMonotonic: true } } : { gauge: { dataPoints } };
}

function numberPoint({ value, labels }: OwnMetric['values'][number]): object {
  return { asDouble: value, attributes: attributesOf(labels) };
}

function histogramPoints(values: OwnMetric['values']): object[] {
  const series = new Map<string, { labels: object; buckets: [number, number][]; sum: number; count: number }>();
  for (const { value, labels: all, metricName } of values) {
    const { le, ...labels } = all;
    const key = JSON.stringify(Object.entries(labels).sort());
    const point = series.get(key) ?? { labels, buckets: [], sum: 0, count: 0 };
    if (metricName?.endsWith('_sum')) point.sum = value;
    else if (metricName?.endsWith('_count')) point.count = value;
    else if (le !== undefined && le !== '+Inf') point.buckets.push([Number(le), value]);
    series.set(key, point);
  }
  return [...series.values()].map(({ labels, buckets, sum, count }) => {
    buckets.sort(([a], [b]) => a - b);
    // Prometheus' buckets include the lower ones, OTLP's do not.
    const upTo = [0, ...buckets.map(([, below]) => below), count];
    const bucketCounts = upTo.slice(1).map((below, i) => below - (upTo[i] ?? 0));
    return {
      attributes: attributesOf(labels),
      count,
      sum,
      explicitBounds: buckets.map(([bound]) => bound),
      bucketCounts,
    };
  });
}

function attributesOf(fields: object): Attribute[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const converted = attributeValue(value);
    return converted === undefined ? [] : [{ key, value: converted }];
  });
}

function attributeValue(value: unknown): Value | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return { stringValue: shortened(typeof value === 'string' ? value : JSON.stringify(value)) };
}

function shortened(text: string): string {
  return text.length <= mostTextLength ? text : `${text.slice(0, mostTextLength)}…`;
}

function nanosOf(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}
