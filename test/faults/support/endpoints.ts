import { jsonToProtobuf } from '@fanion/telemetry';
import { Client, credentials } from '@grpc/grpc-js';
import { writeRequest1 } from '../../../packages/telemetry/src/testing/remote-write.ts';
import { exportOver, grpcCode, type Target } from './grpc.ts';

export type { Target } from './grpc.ts';

/** An ingest endpoint: sends a batch of items that all carry its id, and returns whether it was acknowledged. */
export interface Endpoint {
  readonly name: string;
  /** Rows of one batch. */
  readonly rows: number;
  /** Statement that returns the id and the number of rows of each batch in the store. */
  readonly stored: string;
  send(target: Target, id: string, times: readonly number[]): Promise<boolean>;
}

/** Items of a batch; their times are given. */
export const itemsOfBatch = 20;

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const nanos = (millis: number) => String(BigInt(Math.round(millis)) * 1_000_000n);
const hex = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
const resource = { attributes: [text('service.name', 'faults')] };
const scope = { name: 'test' };

export function targetOf(base: string, grpcPort: number, token: string): Target {
  return { base, grpc: new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure()), token };
}

async function post(
  { base, token }: Target,
  path: string,
  type: string,
  body: string | Uint8Array,
  more = {},
): Promise<boolean> {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type, ...more },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  }).catch(() => undefined);
  const answer = await response?.text().catch(() => undefined);
  if (response === undefined || answer === undefined) return false;
  if (response.ok && answer.includes('artialSuccess')) throw new Error(`${path} refused items: ${answer}`);
  if (!response.ok && response.status !== 503) throw new Error(`${path}: ${response.status} ${answer}`);
  return response.ok;
}

const json = (target: Target, path: string, body: object) =>
  post(target, path, 'application/json', JSON.stringify(body));

export const traces = (id: string, times: readonly number[]) => ({
  resourceSpans: [
    {
      resource,
      scopeSpans: [
        {
          scope,
          spans: times.map((time) => ({
            traceId: hex(16),
            spanId: hex(8),
            name: 'work',
            kind: 2,
            startTimeUnixNano: nanos(time),
            endTimeUnixNano: nanos(time + 5),
            attributes: [text('batch', id)],
          })),
        },
      ],
    },
  ],
});

export const logs = (id: string, times: readonly number[]) => ({
  resourceLogs: [
    {
      resource,
      scopeLogs: [
        {
          scope,
          logRecords: times.map((time, i) => ({
            timeUnixNano: nanos(time),
            severityNumber: 9,
            body: { stringValue: `line ${i} of many` },
            attributes: [text('batch', id)],
          })),
        },
      ],
    },
  ],
});

/** Counters, gauges, explicit and exponential histograms and summaries, four points of each. */
function metrics(id: string, times: readonly number[]) {
  const kinds = 5;
  const pointsOf = (kind: number, more: object) =>
    times
      .filter((_, i) => i % kinds === kind)
      .map((time) => ({ attributes: [text('batch', id)], timeUnixNano: nanos(time), ...more }));
  const counts = { count: '3', sum: 6 };
  const data = [
    {
      name: 'faults.counter',
      sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: pointsOf(0, { asInt: '7' }) },
    },
    { name: 'faults.gauge', gauge: { dataPoints: pointsOf(1, { asDouble: 1.5 }) } },
    {
      name: 'faults.histogram',
      histogram: {
        aggregationTemporality: 1,
        dataPoints: pointsOf(2, { ...counts, bucketCounts: ['1', '2'], explicitBounds: [5] }),
      },
    },
    {
      name: 'faults.exponential',
      exponentialHistogram: {
        aggregationTemporality: 1,
        dataPoints: pointsOf(3, { ...counts, scale: 3, positive: { offset: 1, bucketCounts: ['1', '2'] } }),
      },
    },
    {
      name: 'faults.summary',
      summary: { dataPoints: pointsOf(4, { ...counts, quantileValues: [{ quantile: 0.5, value: 2 }] }) },
    },
  ];
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: data }] }] };
}

/** A profile whose samples have times. */
function profiles(id: string, times: readonly number[]) {
  const dictionary = {
    stringTable: ['', 'cpu', 'nanoseconds', 'main', 'batch'],
    mappingTable: [{}],
    functionTable: [{}, { nameStrindex: 3 }],
    locationTable: [{}, { lines: [{ functionIndex: 1, line: 10 }] }],
    stackTable: [{}, { locationIndices: [1] }],
    linkTable: [{}],
    attributeTable: [{}, { keyStrindex: 4, value: { stringValue: id } }],
  };
  const samples = times.map((time) => ({
    stackIndex: 1,
    attributeIndices: [1],
    values: ['1000'],
    timestampsUnixNano: [nanos(time)],
  }));
  const profile = { sampleType: { typeStrindex: 1, unitStrindex: 2 }, timeUnixNano: nanos(times[0] ?? 0), samples };
  return { resourceProfiles: [{ resource, scopeProfiles: [{ profiles: [profile] }] }], dictionary };
}

/** A request as protobuf. */
export const protobuf = (signal: 'traces' | 'logs' | 'metrics', request: object) =>
  jsonToProtobuf(signal, Buffer.from(JSON.stringify(request)));

const batchOf = (column: string) => `${column}['batch'] AS batch, count() AS rows`;
const points = (table: string, names: string) =>
  `SELECT described.batch AS batch, count() AS rows FROM ${table} INNER JOIN
     (SELECT DISTINCT series, attributes['batch'] AS batch FROM metric_series) AS described USING series
   WHERE metric LIKE '${names}' GROUP BY batch`;

/** All four signals, each over several protocols. */
export const endpoints: readonly Endpoint[] = [
  {
    name: 'spans, OTLP/JSON',
    rows: itemsOfBatch,
    stored: `SELECT ${batchOf('string_attributes')} FROM spans GROUP BY batch`,
    send: (target, id, times) => json(target, '/v1/traces', traces(id, times)),
  },
  {
    name: 'spans, OTLP/gRPC',
    rows: itemsOfBatch,
    stored: `SELECT ${batchOf('string_attributes')} FROM spans GROUP BY batch`,
    send: async (target, id, times) =>
      (await exportOver(target, 'traces', protobuf('traces', traces(id, times)))).code === grpcCode.ok,
  },
  {
    name: 'spans, Zipkin',
    rows: itemsOfBatch,
    stored: `SELECT ${batchOf('string_attributes')} FROM spans GROUP BY batch`,
    send: (target, id, times) =>
      post(
        target,
        '/api/v2/spans',
        'application/json',
        JSON.stringify(
          times.map((time) => ({
            traceId: hex(16),
            id: hex(8),
            name: 'work',
            timestamp: Math.round(time * 1000),
            duration: 5000,
            localEndpoint: { serviceName: 'faults' },
            tags: { batch: id },
          })),
        ),
      ),
  },
  {
    name: 'log lines, OTLP/protobuf',
    rows: itemsOfBatch,
    stored: `SELECT ${batchOf('string_attributes')} FROM logs GROUP BY batch`,
    send: (target, id, times) => post(target, '/v1/logs', 'application/x-protobuf', protobuf('logs', logs(id, times))),
  },
  {
    name: 'log lines, Loki',
    rows: itemsOfBatch,
    stored: `SELECT ${batchOf('string_attributes')} FROM logs GROUP BY batch`,
    send: (target, id, times) =>
      json(target, '/loki/api/v1/push', {
        streams: [
          { stream: { service_name: 'faults' }, values: times.map((time) => [nanos(time), 'a line', { batch: id }]) },
        ],
      }),
  },
  {
    name: 'points, OTLP/protobuf',
    rows: (itemsOfBatch / 5) * 2,
    stored: points('metric_points', 'faults.%'),
    send: (target, id, times) =>
      post(target, '/v1/metrics', 'application/x-protobuf', protobuf('metrics', metrics(id, times))),
  },
  {
    name: 'points, remote write',
    rows: itemsOfBatch,
    stored: points('metric_points', 'written_total'),
    send: (target, id, times) =>
      post(
        target,
        '/prometheus/api/v1/write',
        'application/x-protobuf',
        writeRequest1([
          {
            labels: { __name__: 'written_total', job: 'faults', batch: id },
            samples: [...times].sort((a, b) => a - b).map((time, value) => ({ value, time: Math.round(time) })),
          },
        ]),
        { 'content-encoding': 'snappy' },
      ),
  },
  {
    name: 'samples of profiles, OTLP/JSON',
    rows: itemsOfBatch,
    stored: `SELECT ${batchOf('attributes')} FROM profile_samples GROUP BY batch`,
    send: (target, id, times) => json(target, '/v1development/profiles', profiles(id, times)),
  },
];

/** The other rows of a batch of metrics, besides its number points. */
export const histogramsOfBatch = {
  rows: (itemsOfBatch / 5) * 3,
  stored: points('metric_histograms', 'faults.%'),
};
