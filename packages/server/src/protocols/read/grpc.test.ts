import { createServer, type Socket } from 'node:net';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { int, nanos, text, tracesRequest } from '../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryWorld } from '../../testing/telemetry-world.ts';
import { testClient } from '../../testing/test-client.ts';
import { queryClient } from './testing/query-services.ts';

const now = Math.floor(Date.now() / 1_000);
const traceId = '0af7651916cd43dd8448eb211c80319c';
const root = {
  traceId,
  spanId: 'b7ad6b7169203331',
  name: 'GET /cart',
  kind: 2,
  startTimeUnixNano: nanos((now - 5) * 1_000),
  endTimeUnixNano: nanos((now - 4) * 1_000),
  attributes: [text('http.route', '/cart "a\\b"'), int('items', 7n)],
  status: { code: 2 },
};
const child = {
  traceId,
  spanId: 'b7ad6b7169203333',
  parentSpanId: root.spanId,
  name: 'SELECT',
  kind: 3,
  startTimeUnixNano: nanos((now - 5) * 1_000 + 100),
  endTimeUnixNano: nanos((now - 5) * 1_000 + 200),
};
/** Before the window of the other tests, and without a kind. */
const job = {
  traceId: '1af7651916cd43dd8448eb211c80319c',
  spanId: 'c7ad6b7169203331',
  name: 'job',
  startTimeUnixNano: nanos((now - 900) * 1_000),
  endTimeUnixNano: nanos((now - 899) * 1_000),
};
const [start, end] = [now - 600, now + 10];
const time = (seconds: number) => ({ seconds });
const inNs = (seconds: number) => `${seconds}000000000`;
const query = { service_name: 'cart', start_time_min: time(start), start_time_max: time(end) };

let world: TelemetryWorld;
let token: string;
let client: ReturnType<typeof queryClient>;
let foreign: ReturnType<typeof queryClient>;
const address = () => new URL(world.base).host;
beforeAll(async () => {
  world = await startTelemetryWorld();
  const { ada, eve } = world;
  token = await ada.token(['telemetry:query']);
  await ada.ingest('traces', tracesRequest([root, job], [text('service.name', 'cart')]));
  await ada.ingest('traces', tracesRequest([child], [text('service.name', 'db')]));
  await ada.counted('spans | stats n=count()', 3);
  client = queryClient(address(), token);
  foreign = queryClient(address(), await eve.token(['telemetry:query']));
}, 120_000);
afterAll(async () => {
  client?.close();
  foreign?.close();
  await world?.stop();
});

const tempo = (method: string, request: object, by = client) => by.call(`/tempopb.StreamingQuerier/${method}`, request);
const jaeger = (method: string, request: object, by = client) =>
  by.call(`/jaeger.api_v3.QueryService/${method}`, request);
const overHttp = async (path: string) => (await testClient(world.base, { bearer: token }).get(path)).json;

describe('gRPC on the port of the server', () => {
  it('answers a search of Tempo with what its route answers', async () => {
    const { messages, error } = await tempo('Search', {
      Query: '{ name = "GET /cart" } | select(span.items)',
      start,
      end,
    });
    expect(error).toBeUndefined();
    const q = encodeURIComponent('{ name = "GET /cart" } | select(span.items)');
    const { traces } = await overHttp(`/tempo/api/search?q=${q}&start=${start}&end=${end}`);
    const [{ attributes, ...span }] = traces[0].spanSets[0].spans;
    const sent = [{ key: 'items', value: { int_value: '7' } }];
    expect(attributes).toEqual([{ key: 'items', value: { intValue: '7' } }]);
    const set = { spans: [{ ...span, attributes: sent }], matched: 1 };
    expect(messages).toEqual([
      {
        traces: [
          {
            ...traces[0],
            spanSet: set,
            spanSets: [set],
            serviceStats: { cart: { spanCount: 1, errorCount: 1 }, db: { spanCount: 1 } },
          },
        ],
        metrics: { inspectedTraces: 1 },
      },
    ]);
  });

  it('searches by tags, durations and limits', async () => {
    const found = async (request: object) => {
      const { messages, error } = await tempo('Search', { start, end, ...request });
      return error ?? messages.flatMap(({ traces = [] }) => traces as object[]).length;
    };
    expect(await found({ Tags: { 'http.route': '/cart "a\\b"' } })).toBe(1);
    expect(await found({ Tags: { 'http.route': '/cart' } })).toBe(0);
    expect(await found({ MinDurationMs: 900, MaxDurationMs: 1_100 })).toBe(1);
    expect(await found({ MinDurationMs: 1_100 })).toBe(0);
    expect(await found({ Limit: 4_000_000 })).toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it('lists tags and their values', async () => {
    const window = { start, end };
    expect((await tempo('SearchTags', window)).messages).toEqual([
      { tagNames: ['http.route', 'items', 'service.name'] },
    ]);
    const scopes = await tempo('SearchTagsV2', { ...window, scope: 'resource' });
    expect(scopes.messages).toEqual([{ scopes: [{ name: 'resource', tags: ['service.name'] }] }]);
    const names = await tempo('SearchTagValues', { ...window, tagName: 'service.name' });
    expect(names.messages).toEqual([{ tagValues: ['cart', 'db'] }]);
    const routes = await tempo('SearchTagValuesV2', {
      ...window,
      tagName: 'span.http.route',
      query: '{ kind = server }',
    });
    expect(routes.messages).toEqual([{ tagValues: [{ type: 'string', value: '/cart "a\\b"' }] }]);
  });

  it('computes metrics over time and at once', async () => {
    const asked = { query: '{} | count_over_time() by (resource.service.name)', start: inNs(start), end: inNs(end) };
    const range = await tempo('MetricsQueryRange', { ...asked, step: inNs(60) });
    const http = await overHttp(
      `/tempo/api/metrics/query_range?q=${encodeURIComponent(asked.query)}&start=${start}&end=${end}&step=60s`,
    );
    const samples = range.messages
      .flatMap(({ series }) => series as { samples: object[] }[])
      .map(({ samples }) => samples);
    // Zero is not sent.
    expect(samples.flat().map((sample) => ({ value: 0, ...sample }))).toEqual(
      http.series.flatMap(({ samples: all }: { samples: object[] }) => all),
    );
    const instant = await tempo('MetricsQueryInstant', asked);
    expect(instant.messages).toEqual([
      {
        series: ['cart', 'db'].map((service) => ({
          labels: [{ key: 'resource.service.name', value: { string_value: service } }],
          value: 1,
        })),
      },
    ]);
  });

  it('sends the exemplars of metrics, as many as the request wants', async () => {
    const asked = {
      query: '{} | avg_over_time(duration) by (name)',
      start: inNs(start),
      end: inNs(end),
      step: inNs(60),
    };
    const exemplarsOf = async (exemplars: number) =>
      (await tempo('MetricsQueryRange', { ...asked, exemplars })).messages.flatMap(({ series = [] }) =>
        (series as { exemplars?: object[] }[]).flatMap(({ exemplars: found = [] }) => found),
      );
    const exemplar = (span: { spanId: string; startTimeUnixNano: string }, value: number) => ({
      labels: [
        { key: 'trace:id', value: { string_value: traceId } },
        { key: 'span:id', value: { string_value: span.spanId } },
      ],
      value,
      timestampMs: span.startTimeUnixNano.slice(0, -6),
    });
    expect(await exemplarsOf(0)).toEqual([exemplar(root, 1), exemplar(child, 0.1)]);
    expect(await exemplarsOf(1)).toHaveLength(1);
  });

  it('answers clients of Jaeger with spans of OTLP', async () => {
    const { messages, error } = await jaeger('GetTrace', { trace_id: traceId });
    expect(error).toBeUndefined();
    const spans = messages.flatMap(({ resource_spans }) =>
      (resource_spans as { scope_spans: { spans: object[] }[] }[]).flatMap((one) =>
        one.scope_spans.flatMap((scope) => scope.spans),
      ),
    );
    const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
    expect(spans).toEqual(
      expect.arrayContaining(
        [root, child].map((span) => ({
          trace_id: base64(traceId),
          span_id: base64(span.spanId),
          name: span.name,
          start_time_unix_nano: span.startTimeUnixNano,
        })),
      ),
    );
    expect(spans).toHaveLength(2);
    const found = await jaeger('FindTraces', { query: { ...query, attributes: { 'http.route': '/cart "a\\b"' } } });
    expect(found).toEqual({ messages });
    const [summaries] = (await jaeger('FindTraceSummaries', { query })).messages;
    expect(summaries?.summaries).toMatchObject([
      { trace_id: traceId, root_service_name: 'cart', span_count: 2, error_span_count: 1 },
    ]);
  });

  it('lists services, operations and calls between services for clients of Jaeger', async () => {
    expect((await jaeger('GetServices', {})).messages).toEqual([{ services: ['cart', 'db'] }]);
    const { messages } = await jaeger('GetOperations', { service: 'cart' });
    // As in Jaeger, a span without a kind has one only over HTTP.
    expect(messages).toEqual([
      {
        operations: [
          { name: 'GET /cart', span_kind: 'server' },
          { name: 'job', span_kind: '' },
        ],
      },
    ]);
    expect((await overHttp('/jaeger/api/v3/operations?service=cart')).operations).toEqual([
      { name: 'GET /cart', spanKind: 'server' },
      { name: 'job', spanKind: 'internal' },
    ]);
    const calls = await jaeger('GetDependencies', { start_time: time(start), end_time: time(end) });
    expect(calls.messages).toEqual([{ dependencies: [{ parent: 'cart', child: 'db', call_count: '1' }] }]);
  });

  it('treats the zero time of Go as a time that was not sent, and a depth of 0 or less as the default', async () => {
    const unset = time(-62_135_596_800);
    const sent = await jaeger('GetTrace', { trace_id: traceId });
    expect(await jaeger('GetTrace', { trace_id: traceId, start_time: unset, end_time: unset })).toEqual(sent);
    const { error } = await jaeger('FindTraces', { query: { ...query, start_time_min: unset } });
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringMatching(/required/) });
    expect(await jaeger('FindTraces', { query: { ...query, search_depth: -1 } })).toEqual(sent);
  });

  it('never mixes traces in one message of a search', async () => {
    const both = { query: { ...query, start_time_min: time(now - 1_000) } };
    const { messages } = await jaeger('FindTraces', both);
    const traceIds = messages.map(
      ({ resource_spans }) =>
        new Set(
          (resource_spans as { scope_spans: { spans: { trace_id: string }[] }[] }[]).flatMap((one) =>
            one.scope_spans.flatMap(({ spans }) => spans.map(({ trace_id }) => trace_id)),
          ),
        ),
    );
    const idOf = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
    expect(traceIds).toEqual([new Set([idOf(traceId)]), new Set([idOf(job.traceId)])]);
  });

  it('tells an unknown trace by the words that clients of Jaeger look for', async () => {
    const { error } = await jaeger('GetTrace', { trace_id: '1'.repeat(32) });
    expect(error).toMatchObject({ code: status.NOT_FOUND, details: expect.stringMatching(/^trace not found: /) });
  });

  it('ends a search of Jaeger without a message where nothing is found', async () => {
    expect(await jaeger('FindTraces', { query: { ...query, service_name: 'none' } })).toEqual({ messages: [] });
  });

  it.each([
    ['nobody', undefined, status.UNAUTHENTICATED],
    ['a wrong token', 'svc_pat_wrong', status.UNAUTHENTICATED],
  ])('refuses %s', async (_who, wrong, code) => {
    const stranger = queryClient(address(), wrong);
    expect((await tempo('Search', { start, end }, stranger)).error?.code).toBe(code);
    expect((await jaeger('GetServices', {}, stranger)).error?.code).toBe(code);
    stranger.close();
  });

  it('shows nothing of another workspace', async () => {
    const { messages } = await tempo('Search', { start, end }, foreign);
    expect(messages).toEqual([{ metrics: { inspectedTraces: 0 } }]);
    expect((await jaeger('GetTrace', { trace_id: traceId }, foreign)).error?.code).toBe(status.NOT_FOUND);
  });

  it.each([
    ['Search', { Query: '{ name = ' }, /TraceQL/],
    ['Search', { start: end, end: start }, /end/],
    ['MetricsQueryRange', { query: '{} | rate()', start: inNs(start), end: inNs(end), step: 1 }, /steps/],
  ])('says what is wrong with a call of %s', async (method, request, reason) => {
    const { error } = await tempo(method, request);
    expect(error?.details).toMatch(reason);
    expect(error?.code).toBe(status.INVALID_ARGUMENT);
  });

  it.each([
    ['a year that no clock shows', { query: { ...query, start_time_min: time(1e15) } }, /start_time_min/],
    ['a time before 1970', { query: { ...query, start_time_min: time(-5) } }, /start_time_min/],
    ['no times', { query: { service_name: 'cart' } }, /required/],
  ])('refuses %s in a search of Jaeger', async (_what, request, reason) => {
    const { error } = await jaeger('FindTraces', request);
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringMatching(reason) });
  });

  it('refuses a request of more than 64 KiB', async () => {
    const { error } = await tempo('Search', { Query: `{ name = "${'a'.repeat(64 * 1024)}" }`, start, end });
    expect(error?.code).toBe(status.RESOURCE_EXHAUSTED);
  });

  it('has no other methods, and answers HTTP/1.1 on the same port meanwhile', async () => {
    const [unknown, http] = await Promise.all([
      client.call('/tempopb.Querier/FindTraceByID', {}),
      testClient(world.base).get('/healthz'),
    ]);
    expect(unknown.error?.code).toBe(status.UNIMPLEMENTED);
    expect(http.status).toBe(200);
  });

  it('answers behind a proxy that splits what it sends', async () => {
    const port = Number(new URL(world.base).port);
    const proxy = await splitting(port);
    const through = queryClient(`127.0.0.1:${proxy.port}`, token);
    expect((await jaeger('GetServices', {}, through)).messages).toEqual([{ services: ['cart', 'db'] }]);
    through.close();
    proxy.stop();
  });
});

/** Passes on what it gets in pieces of seven bytes. */
async function splitting(port: number) {
  const { connect } = await import('node:net');
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    sockets.add(socket).add(upstream);
    socket.on('data', (chunk) => {
      for (let i = 0; i < chunk.length; i += 7) upstream.write(chunk.subarray(i, i + 7));
    });
    upstream.pipe(socket);
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
