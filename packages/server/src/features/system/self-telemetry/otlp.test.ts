import { describe, expect, it } from 'vitest';
import { logRecordOf, metricsOf, requestsOf, sampledSpan, spanIds, spanOf } from './otlp.ts';

const now = Date.parse('2026-11-28T12:00:00Z');
const self = { version: '0.3.0', replica: 'replica-1', roles: 'api,jobs', startedAt: now - 60_000 };
const route = {
  id: 'flags.list',
  method: 'GET',
  prefix: '/api/v1',
  path: '/workspaces/{ws}/flags',
  auth: 'user',
  media: 'application/json',
} as const;

describe('a span', () => {
  it('ends now, and fails where the server failed', () => {
    const { json } = spanOf({ requestId: 'r1', route, status: 500, durationMs: 250 }, now);
    expect(json).toMatchObject({
      name: 'GET /api/v1/workspaces/{ws}/flags',
      startTimeUnixNano: `${now - 250}000000`,
      endTimeUnixNano: `${now}000000`,
      status: { code: 2 },
    });
    expect(spanOf({ requestId: 'r1', route, status: 404, durationMs: 1 }, now).json).toMatchObject({ status: {} });
  });
});

describe('a sampled span', () => {
  const span = spanOf({ requestId: 'r1', route, status: 200, durationMs: 1 }, now);
  it.each([
    [0.5, 'ot=th:8'],
    [0.25, 'ot=th:c'],
    [1, undefined],
  ])('of a share of %d has the threshold %s', (share, traceState) => {
    expect(sampledSpan(span, share).json).toEqual({ ...span.json, traceState });
  });
});

describe('a log record', () => {
  it('has the ids of the span of its request', () => {
    const line = { level: 50, time: '2026-11-28T11:59:59.000Z', msg: 'request failed', reqId: 'r1', store: 'control' };
    expect(logRecordOf(line, now).json).toMatchObject({
      timeUnixNano: `${now - 1_000}000000`,
      severityNumber: 17,
      severityText: 'ERROR',
      body: { stringValue: 'request failed' },
      ...spanIds('r1'),
      attributes: [
        { key: 'store', value: { stringValue: 'control' } },
        { key: 'fanion.request_id', value: { stringValue: 'r1' } },
      ],
    });
  });

  it('has the exception in the attributes of the semantic conventions, and bounded text', () => {
    const err = { type: 'Error', message: 'x'.repeat(10_000), stack: 'Error: x\n  at y' };
    const { json } = logRecordOf({ level: 40, msg: 'late', err }, now);
    const attributes = 'attributes' in json && Array.isArray(json.attributes) ? json.attributes : [];
    expect(attributes.map(({ key }) => key)).toEqual(['exception.type', 'exception.message', 'exception.stacktrace']);
    expect(attributes[1].value.stringValue.length).toBeLessThan(5_000);
  });
});

describe('metrics', () => {
  const histogram = (route: string, upTo: readonly number[], count: number) => [
    ...upTo.map((value, i) => ({ value, labels: { route, le: [0.1, 1][i] }, metricName: 'took_seconds_bucket' })),
    { value: count, labels: { route, le: '+Inf' }, metricName: 'took_seconds_bucket' },
    { value: 7.5, labels: { route }, metricName: 'took_seconds_sum' },
    { value: count, labels: { route }, metricName: 'took_seconds_count' },
  ];
  const metrics = [
    { name: 'open', help: 'Open', type: 'gauge', values: [{ value: 3, labels: {} }] },
    { name: 'done_total', help: 'Done', type: 'counter', values: [{ value: 8, labels: { kind: 'a' } }] },
    {
      name: 'took_seconds',
      help: 'Took',
      type: 'histogram',
      values: [...histogram('x', [2, 5], 6), ...histogram('y', [1, 1], 1)],
    },
  ];

  it('keep their names and kinds, with buckets that do not include each other', () => {
    const { items, dropped } = metricsOf(metrics, self, now, 10);
    expect(dropped).toBe(0);
    expect(items.map(({ count }) => count)).toEqual([1, 1, 2]);
    expect(items.map(({ json }) => json)).toMatchObject([
      { name: 'open', gauge: { dataPoints: [{ asDouble: 3, timeUnixNano: `${now}000000` }] } },
      { name: 'done_total', sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: [{ asDouble: 8 }] } },
      {
        name: 'took_seconds',
        histogram: {
          aggregationTemporality: 2,
          dataPoints: [
            {
              count: 6,
              sum: 7.5,
              explicitBounds: [0.1, 1],
              bucketCounts: [2, 3, 1],
              startTimeUnixNano: `${now - 60_000}000000`,
            },
            { count: 1, bucketCounts: [1, 0, 0] },
          ],
        },
      },
    ]);
  });

  it('are cut at the limit, and the rest is counted', () => {
    const { items, dropped } = metricsOf(metrics, self, now, 3);
    expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    expect(dropped).toBe(1);
  });
});

describe('requests', () => {
  it('have all items, at most 200 each, with the server that they are about', () => {
    const items = Array.from({ length: 450 }, (_, i) => ({ json: { name: String(i) }, count: 1 }));
    const requests = [...requestsOf('traces', items, self)];
    expect(requests.map(({ count }) => count)).toEqual([200, 200, 50]);
    const [first] = requests;
    const { resourceSpans } = JSON.parse(String(first?.body));
    expect(resourceSpans[0].resource.attributes).toContainEqual({
      key: 'service.instance.id',
      value: { stringValue: 'replica-1' },
    });
    expect(resourceSpans[0].scopeSpans[0].spans).toHaveLength(200);
    expect([...requestsOf('logs', [], self)]).toEqual([]);
  });
});
