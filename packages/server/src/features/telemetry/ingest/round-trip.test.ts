import { jsonToProtobuf } from '@fanion/telemetry';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  int,
  type KeyValue,
  logRecords,
  logsRequest,
  metricsRequest,
  nanos,
  spans,
  text,
  tracesRequest,
} from '../../../../../telemetry/src/testing/otlp.ts';
import { asJson, asText, mapsOf, typed } from './testing/expected.ts';
import { startTestServer, type TestServer } from './testing/http.ts';
import { startTestStore, type TestStore } from './testing/store.ts';

let telemetry: TestStore;
let server: TestServer;
const now = Date.now();

beforeAll(async () => {
  telemetry = await startTestStore();
  server = await startTestServer({ clickhouse: telemetry.clickhouse });
});
afterAll(async () => {
  await server?.close();
  await telemetry?.close();
});

/** Full 64-bit integers, NaN and infinities, as text. */
const exact = { output_format_json_quote_64bit_integers: 1, output_format_json_quote_denormals: 1 };

async function store(signal: 'traces' | 'logs' | 'metrics', request: object, as: 'json' | 'protobuf'): Promise<void> {
  const json = JSON.stringify(request);
  const response =
    as === 'json'
      ? await server.send(signal, json, { 'content-type': 'application/json' })
      : await server.send(signal, jsonToProtobuf(signal, Buffer.from(json)));
  expect(await response.text()).toBe(as === 'json' ? '{}' : '');
  await server.ingest.flush();
}

async function read(sql: string): Promise<Record<string, unknown>[]> {
  return telemetry.store.queryRows<Record<string, unknown>>(sql, { settings: exact });
}

const typedColumns = 'string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes';

/** Part of the title, so that a failure can be reproduced. */
const seed = Date.now() % 2 ** 31;

describe(`data is read as it was sent (seed ${seed})`, () => {
  it.each(['json', 'protobuf'] as const)('random spans as %s', async (as) => {
    const sent = fc
      .sample(spans(now), { numRuns: 150, seed })
      .map((span, i) => ({ ...span, name: `${as} ${i}` })) as (Record<string, unknown> & {
      name: string;
      attributes?: KeyValue[];
      events?: { timeUnixNano: string; name: string; attributes: KeyValue[] }[];
      links?: { traceId: string; spanId: string; attributes: KeyValue[] }[];
      status?: { code: number; message: string };
    })[];
    await store('traces', tracesRequest(sent), as);
    const rows = await read(
      `SELECT name, toString(toUnixTimestamp64Nano(time)) AS start, toString(duration) AS length,
         lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, lower(hex(parent_span_id)) AS parent,
         trace_state, flags, toInt8(kind) AS kind_number, toInt8(status) AS status_number, status_message, weight,
         dropped_attributes_count, dropped_events_count, dropped_links_count, ${typedColumns},
         arrayMap(t -> toString(toUnixTimestamp64Nano(t)), event_time) AS event_times, event_name, event_attributes,
         arrayMap(id -> lower(hex(id)), link_trace_id) AS link_traces, arrayMap(id -> lower(hex(id)), link_span_id) AS link_spans,
         link_attributes, service, environment, workspace, project, retention_days, scope_name, scope_version
       FROM spans WHERE startsWith(name, '${as} ')`,
    );
    expect(rows).toHaveLength(sent.length);
    const byName = new Map(rows.map((row) => [row.name, row]));
    for (const span of sent) {
      const row = byName.get(span.name) ?? {};
      const length =
        span.endTimeUnixNano === undefined
          ? 0n
          : BigInt(String(span.endTimeUnixNano)) - BigInt(String(span.startTimeUnixNano));
      const weights: Record<string, number> = { 'ot=th:8': 2, 'x=y,ot=rv:1;th:c': 4 };
      expect(row).toMatchObject({
        start: span.startTimeUnixNano,
        length: String(length < 0n ? 0n : length),
        trace: span.traceId,
        span: span.spanId,
        parent: span.parentSpanId || '0'.repeat(16),
        trace_state: span.traceState ?? '',
        flags: span.flags ?? 0,
        kind_number: span.kind ?? 0,
        status_number: span.status?.code ?? 0,
        status_message: span.status?.message ?? '',
        weight: weights[String(span.traceState)] ?? 1,
        dropped_attributes_count: span.droppedAttributesCount ?? 0,
        dropped_events_count: span.droppedEventsCount ?? 0,
        dropped_links_count: span.droppedLinksCount ?? 0,
        event_times: (span.events ?? []).map((event) => event.timeUnixNano),
        event_name: (span.events ?? []).map((event) => event.name),
        event_attributes: (span.events ?? []).map((event) => asText(event.attributes)),
        link_traces: (span.links ?? []).map((link) => link.traceId),
        link_spans: (span.links ?? []).map((link) => link.spanId),
        link_attributes: (span.links ?? []).map((link) => asText(link.attributes)),
        service: 'test',
        environment: 'production',
        workspace: 7,
        project: 9,
        retention_days: 30,
        scope_name: 's',
        scope_version: '1',
      });
      expect(mapsOf(row)).toEqual(typed(span.attributes));
    }
  });

  it('random log records', async () => {
    const sent = fc.sample(logRecords(now), 150).map((record, i) => ({
      ...record,
      attributes: [...((record.attributes as KeyValue[]) ?? []), int('i', i)],
    })) as (Record<string, unknown> & {
      attributes: KeyValue[];
      body?: Record<string, unknown>;
    })[];
    await store('logs', logsRequest(sent), 'protobuf');
    const rows = await read(
      `SELECT body, body_is_json, severity, severity_text, event_name, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span,
         toString(toUnixTimestamp64Nano(time)) AS time_ns, toString(toUnixTimestamp64Nano(observed_time)) AS observed_ns, flags, ${typedColumns}
       FROM logs WHERE mapContains(int_attributes, 'i') ORDER BY int_attributes['i']`,
    );
    expect(rows).toHaveLength(sent.length);
    for (const [i, record] of sent.entries()) {
      const row = rows[i] ?? {};
      const [[kind] = ['none']] = Object.entries(record.body ?? {});
      const isJson = kind === 'arrayValue' || kind === 'kvlistValue';
      expect(row).toMatchObject({
        body: isJson ? asJson(record.body ?? {}) : asText([{ key: 'body', value: record.body ?? {} }]).body,
        body_is_json: isJson,
        severity_text: record.severityText ?? '',
        event_name: record.eventName ?? '',
        trace: record.traceId ?? '0'.repeat(32),
        span: record.spanId ?? '0'.repeat(16),
        flags: record.flags ?? 0,
      });
      if (record.severityNumber) expect(row.severity).toBe(record.severityNumber);
      if (record.timeUnixNano ?? record.observedTimeUnixNano) expect(row.time_ns).toBe(nanos(now));
      if (record.observedTimeUnixNano) expect(row.observed_ns).toBe(nanos(now));
      expect(mapsOf(row)).toEqual(typed(record.attributes));
    }
  });

  it('invalid UTF-8, with replacement characters and all else intact', async () => {
    const body = jsonToProtobuf(
      'logs',
      Buffer.from(JSON.stringify(logsRequest([{ body: { stringValue: 'bad: XXXX.' } }]))),
    );
    body.fill(0xff, body.indexOf('XXXX'), body.indexOf('XXXX') + 4);
    expect((await server.send('logs', body)).status).toBe(200);
    await server.ingest.flush();
    expect(await read(`SELECT body FROM logs WHERE startsWith(body, 'bad')`)).toEqual([
      { body: 'bad: \ufffd\ufffd\ufffd\ufffd.' },
    ]);
  });
});

describe('metrics', () => {
  const times = { startTimeUnixNano: nanos(now - 60_000), timeUnixNano: nanos(now) };
  const attributes = [text('route', '/a'), int('shard', 3)];

  it('keeps every kind of point with its series', async () => {
    await store(
      'metrics',
      metricsRequest(
        [
          {
            name: 'gauge',
            unit: 'By',
            description: 'a gauge',
            gauge: { dataPoints: [{ ...times, attributes, asDouble: 1.5 }] },
          },
          {
            name: 'sum',
            sum: {
              aggregationTemporality: 2,
              isMonotonic: true,
              dataPoints: [
                { ...times, attributes, asInt: '-7' },
                { ...times, flags: 1 },
              ],
            },
          },
          {
            name: 'histogram',
            histogram: {
              aggregationTemporality: 1,
              dataPoints: [
                {
                  ...times,
                  count: '6',
                  sum: 21.5,
                  min: 0.5,
                  max: 9,
                  bucketCounts: ['1', '2', '3'],
                  explicitBounds: [1, 5],
                  exemplars: [
                    {
                      timeUnixNano: nanos(now - 5),
                      asDouble: 4.5,
                      traceId: '0af7651916cd43dd8448eb211c80319c',
                      spanId: 'b7ad6b7169203331',
                      filteredAttributes: [text('user', 'u1')],
                    },
                  ],
                },
              ],
            },
          },
          {
            name: 'exponential',
            exponentialHistogram: {
              aggregationTemporality: 2,
              dataPoints: [
                {
                  ...times,
                  count: 9,
                  scale: -2,
                  zeroCount: 2,
                  zeroThreshold: 0.25,
                  positive: { offset: -3, bucketCounts: ['4', '300'] },
                  negative: { offset: 7, bucketCounts: [1] },
                },
              ],
            },
          },
          {
            name: 'summary',
            summary: {
              dataPoints: [
                {
                  ...times,
                  count: '4',
                  sum: 10,
                  quantileValues: [
                    { quantile: 0.5, value: 2 },
                    { quantile: 0.99, value: 6 },
                  ],
                },
              ],
            },
          },
        ],
        [text('service.name', 'metrics'), text('deployment.environment.name', 'staging')],
      ),
      'protobuf',
    );
    expect(
      await read(
        `SELECT metric, value, no_recorded_value, toUnixTimestamp64Milli(time) = ${now} AS same_time,
           toUnixTimestamp64Milli(start_time) = ${now - 60_000} AS same_start, environment, retention_days
         FROM metric_points WHERE metric IN ('gauge', 'sum') ORDER BY metric, no_recorded_value`,
      ),
    ).toEqual([
      {
        metric: 'gauge',
        value: 1.5,
        no_recorded_value: false,
        same_time: 1,
        same_start: 1,
        environment: 'staging',
        retention_days: 90,
      },
      {
        metric: 'sum',
        value: -7,
        no_recorded_value: false,
        same_time: 1,
        same_start: 1,
        environment: 'staging',
        retention_days: 90,
      },
      {
        metric: 'sum',
        value: 'nan',
        no_recorded_value: true,
        same_time: 1,
        same_start: 1,
        environment: 'staging',
        retention_days: 90,
      },
    ]);
    expect(
      await read(
        `SELECT metric, count, sum, min, max, bounds, bucket_counts, scale, zero_count, zero_threshold, positive_offset, positive_counts,
           negative_offset, negative_counts, quantiles, quantile_values FROM metric_histograms ORDER BY metric`,
      ),
    ).toMatchObject([
      {
        metric: 'exponential',
        count: '9',
        sum: null,
        min: null,
        max: null,
        bounds: [],
        scale: -2,
        zero_count: '2',
        zero_threshold: 0.25,
        positive_offset: -3,
        positive_counts: ['4', '300'],
        negative_offset: 7,
        negative_counts: ['1'],
      },
      {
        metric: 'histogram',
        count: '6',
        sum: 21.5,
        min: 0.5,
        max: 9,
        bounds: [1, 5],
        bucket_counts: ['1', '2', '3'],
        scale: 0,
      },
      { metric: 'summary', count: '4', sum: 10, quantiles: [0.5, 0.99], quantile_values: [2, 6] },
    ]);
    expect(
      await read(
        `SELECT metric, kind, temporality, monotonic, unit, description, service, attributes, resource
         FROM metric_series FINAL WHERE service = 'metrics' ORDER BY metric, length(attributes)`,
      ),
    ).toMatchObject([
      { metric: 'exponential', kind: 'exponential_histogram', temporality: 'cumulative' },
      {
        metric: 'gauge',
        kind: 'gauge',
        temporality: 'unspecified',
        unit: 'By',
        description: 'a gauge',
        attributes: { route: '/a', shard: '3' },
      },
      { metric: 'histogram', kind: 'histogram', temporality: 'delta', attributes: {} },
      { metric: 'sum', kind: 'sum', temporality: 'cumulative', monotonic: true, attributes: {} },
      {
        metric: 'sum',
        kind: 'sum',
        temporality: 'cumulative',
        monotonic: true,
        attributes: { route: '/a', shard: '3' },
      },
      {
        metric: 'summary',
        kind: 'summary',
        resource: { 'service.name': 'metrics', 'deployment.environment.name': 'staging' },
      },
    ]);
    expect(
      await read(
        `SELECT e.metric AS metric, e.value AS value, lower(hex(e.trace_id)) AS trace, lower(hex(e.span_id)) AS span, e.attributes AS attributes,
           e.series = h.series AS same_series FROM exemplars e JOIN metric_histograms h ON e.metric = h.metric`,
      ),
    ).toEqual([
      {
        metric: 'histogram',
        value: 4.5,
        trace: '0af7651916cd43dd8448eb211c80319c',
        span: 'b7ad6b7169203331',
        attributes: { user: 'u1' },
        same_series: 1,
      },
    ]);
  });

  it('gives a series one id for any order of its attributes, and describes it once a day', async () => {
    const gauge = (list: KeyValue[]) =>
      metricsRequest([{ name: 'order', gauge: { dataPoints: [{ ...times, attributes: list, asDouble: 1 }] } }]);
    await store('metrics', gauge([text('a', '1'), text('b', '2')]), 'protobuf');
    await store('metrics', gauge([text('b', '2'), text('a', '1')]), 'json');
    await store('metrics', gauge([text('a', '2'), text('b', '1')]), 'json');
    expect(
      await read(`SELECT uniqExact(series) AS series, count() AS points FROM metric_points WHERE metric = 'order'`),
    ).toEqual([{ series: '2', points: '3' }]);
    expect(await read(`SELECT count() AS n FROM metric_series WHERE metric = 'order'`)).toEqual([{ n: '2' }]);
  });
});
