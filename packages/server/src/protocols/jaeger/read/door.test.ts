import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { int, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import {
  JAEGER_QUERIES,
  JAEGER_TRACES,
  jaegerTraceId,
  otlpOf,
} from '../../../features/telemetry/ingest/testing/jaeger.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient, until } from '../../../testing/test-client.ts';

const door = '/jaeger/api';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const otherId = 'ffffffff16cd43dd8448eb211c80319c';
const shortId = '000000000000000016cd43dd8448eb21';
const [root, client, server] = ['a000000000000001', 'a000000000000002', 'a000000000000003'];

describe('the Jaeger API', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let token: string;
  const now = Math.floor(Date.now() / 60_000) * 60_000 - 600_000;
  const at = (offset: number) => nanos(now + offset);
  const span = (spanId: string, name: string, kind: number, from: number, to: number, more: object = {}) => ({
    ...{ traceId, spanId, name, kind, startTimeUnixNano: at(from), endTimeUnixNano: at(to), ...more },
  });
  const of = (service: string, spans: object[], more: object[] = []) => ({
    resource: { attributes: [text('service.name', service), ...more] },
    scopeSpans: [{ scope: { name: 'http', version: '2.1' }, spans }],
  });

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    token = await ada.token(['telemetry:query']);
    const failed = {
      parentSpanId: client,
      status: { code: 2, message: 'card declined' },
      traceState: 'a=b',
      attributes: [
        int('http.response.status_code', 502),
        int('large', 2n ** 62n),
        { key: 'ratio', value: { doubleValue: 0.25 } },
        { key: 'cached', value: { boolValue: false } },
        { key: 'items', value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '2' }] } } },
      ],
      events: [{ timeUnixNano: at(30), name: 'exception', attributes: [text('exception.type', 'Declined')] }],
      links: [{ traceId: otherId, spanId: root, attributes: [] }],
    };
    const shop = [span(root, 'GET /cart', 2, 0, 100), span(client, 'call', 3, 10, 90, { parentSpanId: root })];
    const lost = { traceId: otherId, parentSpanId: 'b000000000000009' };
    await ada.ingest('traces', {
      resourceSpans: [
        of('shop', shop, [text('host.name', 'h1')]),
        of('payment', [span(server, 'charge', 2, 20, 80, failed)]),
        of('shop', [span(root, 'GET /cart', 2, 60_000, 60_300, lost)], [text('host.name', 'h2')]),
        of('shop', [span(root, 'job', 1, 120_000, 120_001, { traceId: shortId })]),
      ],
    });
    await ada.ingest('traces', {
      resourceSpans: JAEGER_TRACES.map((trace, i) => otlpOf(trace, i, BigInt(now) * 1_000_000n)),
    });
    await ada.counted(
      'spans | stats n=count()',
      5 + JAEGER_TRACES.reduce((sum, { durations }) => sum + durations.length, 0),
    );
  }, 120_000);
  afterAll(() => world?.stop());

  const get = (path: string, query: Record<string, string> | string[][] = {}) =>
    testClient(world.base).get(`${door}/${path}?${new URLSearchParams(query)}`, {
      authorization: `Basic ${Buffer.from(`grafana:${token}`).toString('base64')}`,
    });
  const micros = (ms: number) => String(ms * 1_000);
  const window = { start: micros(now - 600_000), end: micros(now + 300_000) };
  const found = async (query: Record<string, string>): Promise<string[]> => {
    const { status, json } = await get('traces', { ...window, ...query });
    expect(status, JSON.stringify(json)).toBe(200);
    return json.data.map(({ traceID }: { traceID: string }) => traceID);
  };

  it('takes a token as Bearer or as the password of Basic, and nobody without one', async () => {
    expect((await get('services')).status).toBe(200);
    expect((await testClient(world.base, { bearer: token }).get(`${door}/services`)).status).toBe(200);
    const none = await testClient(world.base).get(`${door}/services`);
    expect([none.status, none.json]).toEqual([
      401,
      { data: null, total: 0, limit: 0, offset: 0, errors: [{ code: 401, msg: expect.any(String) }] },
    ]);
  });

  it('shows nothing to another workspace', async () => {
    const eve = testClient(world.base, { bearer: await world.eve.token(['telemetry:query']) });
    expect((await eve.get(`${door}/services`)).json.data).toEqual([]);
    expect((await eve.get(`${door}/traces/${traceId}`)).status).toBe(404);
    const search = await eve.get(`${door}/traces?${new URLSearchParams({ service: 'shop', ...window })}`);
    expect(search.json.data).toEqual([]);
    expect((await eve.get(`${door}/traces?traceID=${traceId}`)).json).toMatchObject({
      data: [],
      errors: [{ msg: 'trace not found', traceID: traceId }],
    });
    expect((await eve.get(`${door}/dependencies`)).json.data).toEqual([]);
  });

  it('lists services and the operations of one', async () => {
    const services = (await get('services')).json;
    expect(services.data).toEqual(expect.arrayContaining(['payment', 'shop']));
    expect(services).toMatchObject({ total: services.data.length, limit: 0, offset: 0, errors: null });
    expect((await get('services/shop/operations')).json.data).toEqual(['GET /cart', 'call', 'job']);
    expect((await get('operations', { service: 'shop', spanKind: 'server' })).json.data).toEqual([
      { name: 'GET /cart', spanKind: 'server' },
    ]);
    expect((await get('operations')).json.errors[0].msg).toBe("parameter 'service' is required");
  });

  it('writes a trace as Jaeger translates it from OTLP', async () => {
    const { json } = await get(`traces/${traceId}`);
    const [trace] = json.data;
    expect(Object.keys(json)).toEqual(['data', 'total', 'limit', 'offset', 'errors']);
    expect([trace.traceID, trace.spans.length, trace.warnings]).toEqual([traceId, 3, null]);
    const charge = trace.spans.find(({ spanID }: { spanID: string }) => spanID === server);
    expect(trace.processes[charge.processID]).toEqual({ serviceName: 'payment', tags: [] });
    const first = trace.processes[trace.spans[0].processID];
    expect(first).toEqual({ serviceName: 'shop', tags: [{ key: 'host.name', type: 'string', value: 'h1' }] });
    expect(charge).toEqual({
      ...{ traceID: traceId, spanID: server, operationName: 'charge', processID: charge.processID, warnings: null },
      ...{ startTime: (now + 20) * 1_000, duration: 60_000 },
      references: [
        { refType: 'CHILD_OF', traceID: traceId, spanID: client },
        { refType: 'FOLLOWS_FROM', traceID: otherId, spanID: root },
      ],
      tags: [
        { key: 'otel.scope.name', type: 'string', value: 'http' },
        { key: 'otel.scope.version', type: 'string', value: '2.1' },
        { key: 'cached', type: 'bool', value: false },
        { key: 'http.response.status_code', type: 'int64', value: 502 },
        { key: 'items', type: 'string', value: '["a",2]' },
        { key: 'large', type: 'int64', value: '4611686018427387904' },
        { key: 'ratio', type: 'float64', value: 0.25 },
        { key: 'span.kind', type: 'string', value: 'server' },
        { key: 'otel.status_code', type: 'string', value: 'ERROR' },
        { key: 'error', type: 'bool', value: true },
        { key: 'otel.status_description', type: 'string', value: 'card declined' },
        { key: 'w3c.tracestate', type: 'string', value: 'a=b' },
      ],
      logs: [
        {
          timestamp: (now + 30) * 1_000,
          fields: [
            { key: 'event', type: 'string', value: 'exception' },
            { key: 'exception.type', type: 'string', value: 'Declined' },
          ],
        },
      ],
    });
  });

  it('warns of a span whose parent is missing, and shortens an id of 64 bits', async () => {
    const [other] = (await get(`traces/${otherId}`)).json.data;
    expect(other.spans[0].warnings).toEqual(['the parent span b000000000000009 is not in the trace']);
    const [short] = (await get('traces/16cd43dd8448eb21')).json.data;
    expect(short.traceID).toBe('16cd43dd8448eb21');
  });

  it('reports an unknown trace as 404 with errors, which Grafana reads', async () => {
    const { status, json } = await get(`traces/${'1'.repeat(32)}`);
    expect([status, json.data, json.errors[0].code]).toEqual([404, null, 404]);
    expect((await get('traces/xyz')).status).toBe(400);
  });

  it.each(JAEGER_QUERIES.map((query) => [query.caption, query] as const))(
    'finds what the storage tests of Jaeger find: %s',
    async (_caption, { service, operation = '', duration = [0, 0], tagPrefix, finds }) => {
      const values = ['sameplacevalue', '123', '72.5', 'true'];
      const tags = tagPrefix && Object.fromEntries(values.map((value, i) => [`${tagPrefix}${i + 1}`, value]));
      const [min, max] = duration;
      const ids = await found({
        ...{ service, operation, limit: '1000' },
        ...(min > 0 && { minDuration: `${min}ns` }),
        ...(max > 0 && { maxDuration: `${max}ns` }),
        ...(tags && { tags: JSON.stringify(tags) }),
      });
      const expected = JAEGER_TRACES.flatMap(({ name }, i) => (finds.includes(name) ? [jaegerTraceId(i)] : []));
      expect(ids.toSorted()).toEqual(expected);
      if (tags)
        expect(await found({ service, tags: JSON.stringify({ ...tags, [`${tagPrefix}2`]: '124' }) })).toEqual([]);
    },
  );

  it('searches with what the UI and Grafana send', async () => {
    expect(await found({ service: 'shop', limit: '20' })).toEqual(['16cd43dd8448eb21', otherId, traceId]);
    expect(await found({ service: 'shop', limit: '1', lookback: 'custom' })).toEqual(['16cd43dd8448eb21']);
    expect(await found({ service: 'shop', operation: 'GET /cart', minDuration: '0.2s' })).toEqual([otherId]);
    expect(await found({ service: 'shop', operation: 'GET /cart', maxDuration: '100ms' })).toEqual([traceId]);
    expect(await found({ service: 'payment', tags: '{"error":"true","http.response.status_code":"502"}' })).toEqual([
      traceId,
    ]);
    expect(await found({ service: 'payment', tag: 'error:false' })).toEqual([]);
    expect(await found({ service: 'shop', tag: 'span.kind:internal' })).toEqual(['16cd43dd8448eb21']);
    expect(await found({ service: 'payment', tags: '{"event":"exception","items":"[\\"a\\",2]"}' })).toEqual([traceId]);
    // All conditions are on one span.
    expect(await found({ service: 'shop', tags: '{"error":"true"}' })).toEqual([]);
    const both = await get('traces', [
      ['traceID', otherId],
      ['traceID', traceId.slice(1)],
    ]);
    expect(both.json.data.map(({ traceID }: { traceID: string }) => traceID)).toEqual([otherId, traceId]);
    const since = (await get('traces', { service: 'shop', lookback: '1h' })).json.data;
    expect(since).toHaveLength(3);
  });

  it.each([
    [{ service: '' }, "parameter 'service' is required"],
    [{ limit: '0' }, 'invalid parameter: limit must be greater than 0'],
    [{ limit: '999999999' }, 'invalid parameter: limit must be at most 1500'],
    [{ minDuration: '5' }, `unable to parse param 'minDuration': time: invalid duration "5"`],
    [{ minDuration: '2s', maxDuration: '1s' }, "'maxDuration' should be greater than 'minDuration'"],
    [{ start: 'yesterday' }, `unable to parse param 'start': "yesterday" is not a whole number`],
    [{ start: '99999999999999999999' }, `unable to parse param 'start': "99999999999999999999" is not a whole number`],
    [{ start: '10', end: '5' }, 'invalid parameter: start time must be before end time'],
    [{ tag: 'x' }, "malformed 'tag' parameter, expecting key:value, received: x"],
    [{ tags: '{"a":1}' }, "malformed 'tags' parameter, cannot unmarshal JSON: expecting an object of texts"],
    [{ tags: '['.repeat(3_000) }, "malformed 'tags' parameter, cannot unmarshal JSON: expecting an object of texts"],
  ])('refuses the parameters %j in the words of Jaeger', async (query, msg) => {
    const { status, json } = await get('traces', { service: 'shop', ...window, ...query } as Record<string, string>);
    expect([status, json.errors]).toEqual([400, [{ code: 400, msg }]]);
  });

  it('answers about years without telemetry', async () => {
    expect(await found({ service: 'shop', start: '0', end: '1' })).toEqual([]);
    expect(await found({ service: 'shop', start: '1768000000000000000', end: '1768000000000000001' })).toEqual([]);
  });

  it('lists calls between services', async () => {
    const query = { endTs: String(now + 300_000), lookback: '900000' };
    const link = { parent: 'shop', child: 'payment', callCount: 1 };
    expect((await get('dependencies', query)).json.data).toEqual([link]);
    expect((await get('dependencies', { ...query, service: 'payment' })).json.data).toEqual([link]);
    expect((await get('dependencies', { ...query, service: 'other' })).json.data).toEqual([]);
  });

  it('measures calls, errors and latencies for the Monitor tab', async () => {
    // Windows of a minute that end at 0, 60, 120 and 180 seconds: one call began at 0, and one at 60 seconds.
    const query = {
      service: 'shop',
      endTs: String(now + 180_000),
      lookback: '180000',
      step: '60000',
      ratePer: '60000',
    };
    const calls = (await get('metrics/calls', query)).json;
    expect(calls).toMatchObject({
      ...{ name: 'service_call_rate', type: 'GAUGE', help: 'calls/sec, grouped by service' },
      metrics: [{ labels: [{ name: 'service_name', value: 'shop' }] }],
    });
    const values = ({ metricPoints }: { metricPoints: { gaugeValue: { doubleValue: number } }[] }) =>
      metricPoints.map(({ gaugeValue }) => gaugeValue.doubleValue);
    expect(values(calls.metrics[0])).toEqual([1 / 60, 1 / 60, 0, 0]);
    expect(calls.metrics[0].metricPoints[1].timestamp).toBe(new Date(now + 60_000).toISOString());
    // Windows of two minutes overlap.
    const longer = (await get('metrics/calls', { ...query, ratePer: '120000' })).json;
    expect(values(longer.metrics[0])).toEqual([1 / 120, 2 / 120, 1 / 120, 0]);
    const grouped = { ...query, groupByOperation: 'true', quantile: '0.95' };
    const latencies = (await get('metrics/latencies', grouped)).json;
    expect(latencies).toMatchObject({
      ...{ name: 'service_operation_latencies', help: '0.95th quantile latency, grouped by service & operation' },
      metrics: [
        {
          labels: [
            { name: 'operation', value: 'GET /cart' },
            { name: 'service_name', value: 'shop' },
          ],
        },
      ],
    });
    expect(values(latencies.metrics[0])).toEqual([100, 300, 'NaN', 'NaN']);
    const errors = (await get('metrics/errors', { ...query, service: 'payment' })).json;
    expect(values(errors.metrics[0])).toEqual(['NaN', 1, 'NaN', 'NaN']);
    expect((await get('metrics/minstep')).json.data).toBe(1);
    expect((await get('metrics/calls')).status).toBe(400);
    expect((await get('metrics/calls', { ...query, step: '1' })).status).toBe(400);
  });

  it('transforms OTLP/JSON', async () => {
    const spans = [span(root, 'GET /', 2, 0, 5, { attributes: [int('n', 7)] })];
    const transform = (body: object) =>
      testClient(world.base, { bearer: token }).post(`${door}/transform`, body, { 'content-type': 'application/json' });
    const { json } = await transform({ resourceSpans: [of('web', spans)] });
    expect(json.data[0]).toMatchObject({
      traceID: traceId,
      spans: [
        {
          operationName: 'GET /',
          duration: 5_000,
          tags: expect.arrayContaining([{ key: 'n', type: 'int64', value: 7 }]),
        },
      ],
      processes: { p1: { serviceName: 'web' } },
    });
    const wrong = await transform({ resourceSpans: [of('web', [{ traceId: 'x' }])] });
    expect([wrong.status, wrong.json.errors[0].code]).toEqual([400, 400]);
  });

  it('has no data where Jaeger has placeholders', async () => {
    expect((await get('deep-dependencies')).json).toEqual({ dependencies: [] });
    expect((await get('quality-metrics')).json).toMatchObject({ scores: [], metrics: [] });
  });

  it('answers version 3 with OTLP', async () => {
    expect((await get('v3/services')).json.services).toEqual(expect.arrayContaining(['payment', 'shop']));
    expect((await get('v3/operations', { service: 'payment' })).json).toEqual({
      operations: [{ name: 'charge', spanKind: 'server' }],
    });
    const times = {
      'query.start_time_min': new Date(now).toISOString(),
      'query.start_time_max': new Date(now + 50).toISOString(),
    };
    const search = await get('v3/traces', { 'query.service_name': 'payment', ...times, 'query.num_traces': '20' });
    const byService = new Map(
      search.json.result.resourceSpans.map(
        (one: { resource: { attributes: { value: object }[] }; scopeSpans: object[] }) => [
          JSON.stringify(one.resource.attributes.at(-1)?.value),
          one.scopeSpans[0],
        ],
      ),
    );
    expect(byService.size).toBe(2);
    expect(byService.get('{"stringValue":"payment"}')).toMatchObject({
      scope: { name: 'http', version: '2.1' },
      spans: [
        {
          ...{ traceId, spanId: server, parentSpanId: client, name: 'charge', kind: 2 },
          ...{ startTimeUnixNano: at(20), endTimeUnixNano: at(80), status: { code: 2, message: 'card declined' } },
          attributes: expect.arrayContaining([
            { key: 'large', value: { intValue: '4611686018427387904' } },
            { key: 'items', value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '2' }] } } },
          ]),
        },
      ],
    });
    const camel = {
      'query.startTimeMin': times['query.start_time_min'],
      'query.startTimeMax': times['query.start_time_max'],
    };
    expect((await get('v3/trace-summaries', { 'query.serviceName': 'shop', ...camel })).json).toEqual({
      summaries: [
        {
          ...{ traceId, rootServiceName: 'shop', rootOperationName: 'GET /cart', spanCount: 3, errorSpanCount: 1 },
          ...{ orphanSpanCount: 0, minStartTimeUnixNano: at(0), maxEndTimeUnixNano: at(100) },
          services: [
            { name: 'payment', spanCount: 1, errorSpanCount: 1 },
            { name: 'shop', spanCount: 2, errorSpanCount: 0 },
          ],
        },
      ],
    });
    expect((await get(`v3/traces/${traceId}`)).json.result.resourceSpans).toHaveLength(2);
    const none = await get(`v3/traces/${'1'.repeat(32)}`);
    expect([none.status, none.json.error.httpCode]).toEqual([404, 404]);
    expect((await get('v3/traces', { 'query.service_name': 'shop' })).json.error.httpCode).toBe(400);
    const nothing = await get('v3/traces', { ...times, 'query.service_name': 'no such service' });
    expect(nothing.json.error).toMatchObject({ httpCode: 404, message: 'No traces found' });
    const filtered = await get('v3/traces', { ...times, 'query.filter': '{}' });
    expect(filtered.json.error).toEqual({ httpCode: 400, message: 'query.filter is not supported' });
  });

  it('records searches in the history of the workspace', async () => {
    await found({ service: 'shop', operation: 'call' });
    await until(async () => {
      const { data } = await ada.get(`${ada.workspace}/query-history?everyone=true`);
      return data.some(
        (run: { query: string; rows: number }) => /service=shop&operation=call$/.test(run.query) && run.rows === 1,
      );
    });
  });

  it('has no other paths', async () => {
    expect((await get('archive/1')).status).toBe(404);
  });
});
