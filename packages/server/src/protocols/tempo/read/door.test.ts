import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { int, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient } from '../../../testing/test-client.ts';

const door = '/tempo/api';
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

describe('the Tempo API', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let token: string;
  const now = Math.floor(Date.now() / 1000) * 1000;
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const shortId = '00000000000000008448eb211c80319c';
  const attributes = [
    { key: 'cached', value: { boolValue: true } },
    { key: 'items', value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '2' }] } } },
    { key: 'load', value: { doubleValue: 0.5 } },
    int('retries', 9007199254740993n),
    text('route', '/cart'),
  ];
  const root = {
    traceId,
    spanId: 'b7ad6b7169203331',
    name: 'GET /cart',
    kind: 2,
    startTimeUnixNano: nanos(now - 5_000),
    endTimeUnixNano: nanos(now - 4_000),
    traceState: 'a=b',
    attributes,
    events: [{ timeUnixNano: nanos(now - 4_500), name: 'exception', attributes: [int('code', 7)] }],
    links: [{ traceId: shortId, spanId: 'b7ad6b7169203332', attributes: [text('why', 'retry')] }],
    status: { code: 2, message: 'no stock' },
  };
  const child = {
    traceId,
    spanId: 'b7ad6b7169203333',
    parentSpanId: root.spanId,
    name: 'SELECT',
    kind: 3,
    startTimeUnixNano: nanos(now - 4_900),
    endTimeUnixNano: nanos(now - 4_800),
  };

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    token = await ada.token(['telemetry:query']);
    await ada.ingest('traces', tracesRequest([root], [text('service.name', 'cart'), int('shard', 3)]));
    await ada.ingest('traces', tracesRequest([child], [text('service.name', 'db')]));
    await ada.ingest('traces', tracesRequest([{ ...child, traceId: shortId, parentSpanId: '' }]));
    await ada.counted('spans | stats n=count()', 3);
  }, 120_000);
  afterAll(() => world?.stop());

  const basic = () => ({ authorization: `Basic ${Buffer.from(`grafana:${token}`).toString('base64')}` });
  const get = (path: string, query: Record<string, string> = {}) =>
    testClient(world.base).get(`${door}/${path}?${new URLSearchParams(query)}`, basic());
  const bytesOf = async (path: string) => {
    const answer = await fetch(`${world.base}${door}/${path}`, {
      headers: { ...basic(), accept: 'application/protobuf' },
    });
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      bytes: Buffer.from(await answer.arrayBuffer()),
    };
  };

  it('answers what Grafana asks to test a data source', async () => {
    const echo = await get('echo');
    expect([echo.status, echo.text]).toEqual([200, 'echo']);
    expect((await get('status/buildinfo')).json.version).toMatch(/^2\./);
    expect((await get('echo', { customQueryParameter: 'x' })).status).toBe(200);
    expect((await get('overrides')).status).toBe(404);
  });

  it('takes a token as Bearer or as the password of Basic, and nobody without one', async () => {
    expect((await testClient(world.base, { bearer: token }).get(`${door}/echo`)).status).toBe(200);
    expect((await testClient(world.base).get(`${door}/echo`)).status).toBe(401);
    const bearer = await ada.token(['telemetry:ingest']);
    const refused = await testClient(world.base, { bearer }).get(`${door}/echo`);
    expect([refused.status, refused.text]).toEqual([403, 'permission denied: telemetry:query required']);
  });

  it('returns a trace as JSON, with all that was sent', async () => {
    const { json } = await get(`v2/traces/${traceId}`);
    const [cart, db] = json.trace.resourceSpans;
    expect(json.trace.resourceSpans).toHaveLength(2);
    expect(cart.resource.attributes).toEqual([text('service.name', 'cart'), int('shard', 3)]);
    expect(cart.scopeSpans[0].scope).toMatchObject({ name: 's', version: '1' });
    expect(cart.scopeSpans[0].spans).toEqual([
      {
        ...root,
        traceId: base64(traceId),
        spanId: base64(root.spanId),
        kind: 'SPAN_KIND_SERVER',
        links: [{ ...root.links[0], traceId: base64(shortId), spanId: base64('b7ad6b7169203332') }],
        status: { code: 'STATUS_CODE_ERROR', message: 'no stock' },
      },
    ]);
    expect(db.scopeSpans[0].spans[0]).toMatchObject({ parentSpanId: base64(root.spanId), status: {} });
    expect((await get(`traces/${traceId}`)).json).toEqual({ batches: json.trace.resourceSpans });
  });

  it('returns a trace as protobuf that OTLP reads back unchanged', async () => {
    const old = await bytesOf(`traces/${traceId}`);
    expect([old.status, old.type]).toEqual([200, 'application/protobuf']);
    const bearer = await world.eve.token(['telemetry:ingest']);
    const sent = await fetch(`${world.base}/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/x-protobuf' },
      body: new Uint8Array(old.bytes),
    });
    expect(sent.status).toBe(200);
    await world.eve.counted('spans | stats n=count()', 2);
    const eve = testClient(world.base, { bearer: await world.eve.token(['telemetry:query']) });
    expect((await eve.get(`${door}/traces/${traceId}`)).json).toEqual((await get(`traces/${traceId}`)).json);
    // Field 1 of the newer response is the older one.
    const { bytes } = await bytesOf(`v2/traces/${traceId}`);
    expect(bytes[0]).toBe(0x0a);
    expect(bytes.subarray(-old.bytes.length)).toEqual(old.bytes);
  });

  it('finds a trace by an id without its leading zeros', async () => {
    expect((await get('traces/8448eb211c80319c')).json.batches[0].scopeSpans[0].spans[0].traceId).toBe(base64(shortId));
  });

  it.each(['traces', 'v2/traces'])('says what is wrong with the id of %s', async (path) => {
    expect((await bytesOf(`${path}/${'1'.repeat(32)}`)).status).toBe(404);
    const letters = await get(`${path}/nothex`);
    expect([letters.status, letters.text]).toEqual([
      400,
      'invalid parameter "traceID": trace IDs can only contain hex characters',
    ]);
    expect((await get(`${path}/${'1'.repeat(33)}`)).status).toBe(400);
    const bearer = await world.eve.token(['telemetry:query']);
    const foreign = await testClient(world.base, { bearer }).get(`${door}/${path}/${shortId}`, {
      'x-scope-orgid': ada.workspaceId,
    });
    expect(foreign.status).toBe(404);
  });
});
