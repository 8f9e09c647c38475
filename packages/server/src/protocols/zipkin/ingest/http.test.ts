import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useIngestEndpoint } from '../../testing/ingest-endpoint.ts';

const json = { 'content-type': 'application/json' };
const endpoint = useIngestEndpoint('/api/v2/spans', json);
const { send, ask } = endpoint;

const now = (Date.now() - 60_000) * 1000;

const stored = (service: string, count: number) =>
  endpoint.gives(`spans | where service.name == "${service}" | stats n=count()`, count);

/** The example from the Zipkin API. */
const span = {
  id: '352bff9a74ca9ad2',
  traceId: '5af7183fb1d4cf5f',
  parentId: '6b221d5bc9e6496c',
  name: 'get /api',
  timestamp: now,
  duration: 1431,
  kind: 'SERVER',
  localEndpoint: { serviceName: 'backend', ipv4: '192.168.99.1', port: 3306 },
  remoteEndpoint: { serviceName: 'frontend', ipv4: '172.19.0.2', port: 58648 },
  annotations: [{ timestamp: now + 7, value: 'cache miss' }],
  tags: { 'http.method': 'GET', 'http.path': '/api', error: 'no such item' },
};
const inService = (serviceName: string, more: object = {}) => ({ ...span, ...more, localEndpoint: { serviceName } });

describe('Zipkin spans', () => {
  it('are stored with tags, endpoints, annotations and errors', async () => {
    const answer = await send(
      JSON.stringify([span, inService('client', { kind: 'CLIENT', tags: {}, traceId: 'a'.repeat(32) })]),
    );
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    await stored('backend', 1);
    await stored('client', 1);
    expect(
      await ask(
        'spans | where service.name == "backend" | fields trace_id, span_id, parent_span_id, name, kind, status, status_message, attr.http.method, attr.peer.service, attr.network.peer.port',
      ),
    ).toEqual([
      [
        '00000000000000005af7183fb1d4cf5f',
        '352bff9a74ca9ad2',
        '6b221d5bc9e6496c',
        'get /api',
        'server',
        'error',
        'no such item',
        'GET',
        'frontend',
        58648,
      ],
    ]);
    const whole = await endpoint.ada.get(`${endpoint.ada.workspace}/traces/00000000000000005af7183fb1d4cf5f`);
    expect(whole.data).toMatchObject({ duration_ns: '1431000', spans: [{ events: [{ name: 'cache miss' }] }] });
    expect(await ask('spans | where service.name == "client" | fields kind, status')).toEqual([['client', 'unset']]);
  });

  it('may be gzipped', async () => {
    const body = gzipSync(JSON.stringify([inService('zipped')]));
    expect((await send(body, { ...json, 'content-encoding': 'gzip' })).status).toBe(202);
    await stored('zipped', 1);
  });

  it('that are invalid are rejected, and the others are stored', async () => {
    const wrong = [{ id: 'x' }, { traceId: '12' }, { timestamp: undefined }, { timestamp: 1 }];
    const spans = [...wrong.map((change) => inService('part', change)), inService('part')];
    expect((await send(JSON.stringify(spans))).status).toBe(202);
    await stored('part', 1);
    const none = await send(JSON.stringify(wrong.map((change) => inService('none', change))));
    expect([none.status, await none.text()]).toEqual([400, expect.stringContaining('2 × no time')]);
  });

  it.each([
    ['no JSON', '[', json, 400],
    ['no array', '{}', json, 400],
    ['no spans', '[1]', json, 400],
    ['another media type', 'x', { 'content-type': 'application/x-thrift' }, 415],
    ['another encoding', 'x', { ...json, 'content-encoding': 'br' }, 415],
    ['nobody', '[]', { ...json, authorization: 'Bearer nobody' }, 401],
  ])('rejects %s', async (_, body, headers, status) => {
    expect((await send(body, headers)).status).toBe(status);
  });

  it('never causes an internal error, for any input', async () => {
    const field = fc.constantFrom(...Object.keys(span));
    const spans = fc.array(
      fc.tuple(field, fc.jsonValue()).map(([name, value]) => ({ ...inService('fuzz'), [name]: value })),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          spans.map((list) => JSON.stringify(list)),
          fc.json(),
          fc.string(),
        ),
        async (body) => {
          expect([202, 400]).toContain((await send(body)).status);
        },
      ),
      { numRuns: 300 },
    );
  });
});
