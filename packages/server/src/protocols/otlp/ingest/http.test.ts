import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { jsonToProtobuf } from '@fanion/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, metricsRequest, nanos, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTestServer, type TestServer } from '../../../features/telemetry/ingest/testing/http.ts';

let server: TestServer;

beforeAll(async () => {
  // No test here needs a store: acknowledged data waits in the log.
  const clickhouse = { url: 'http://127.0.0.1:9', database: 'fanion' };
  server = await startTestServer({
    clickhouse,
    limits: { drainMs: 0, compressedBytes: 50_000, inflatedBytes: 200_000, items: 100 },
  });
});
afterAll(async () => {
  await server?.close();
});

const json = { 'content-type': 'application/json' };
const span = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'x',
  startTimeUnixNano: nanos(Date.now()),
};
const good = tracesRequest([span]);
const half = tracesRequest([span, { ...span, spanId: 'ab' }]);
const protobuf = (request: object) => jsonToProtobuf('traces', Buffer.from(JSON.stringify(request)));

describe('a valid request', () => {
  it.each([
    ['protobuf', protobuf(good), {}, ''],
    ['JSON', JSON.stringify(good), json, '{}'],
    ['JSON of a character set', JSON.stringify(good), { 'content-type': 'application/json; charset=utf-8' }, '{}'],
    ['gzip', gzipSync(protobuf(good)), { 'content-encoding': 'gzip' }, ''],
    ['nothing', '', {}, ''],
    ['an empty object', '{}', json, '{}'],
  ])('%s', async (_, body, headers, answer) => {
    const response = await server.send('traces', body, headers);
    expect([response.status, await response.text()]).toEqual([200, answer]);
    expect(response.headers.get('content-type')).toBe(answer === '' ? 'application/x-protobuf' : 'application/json');
  });

  it.each([
    ['logs', logsRequest([{ body: { stringValue: 'x' } }])],
    [
      'metrics',
      metricsRequest([{ name: 'm', gauge: { dataPoints: [{ asInt: 1, timeUnixNano: nanos(Date.now()) }] } }]),
    ],
  ])('%s', async (signal, body) => {
    expect((await server.send(signal, JSON.stringify(body), json)).status).toBe(200);
  });
});

describe('a partially valid request', () => {
  it('reports partial success in JSON', async () => {
    const response = await server.send('traces', JSON.stringify(half), json);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      partialSuccess: { rejectedSpans: '1', errorMessage: '1 × span_id is not 8 bytes, or all zero' },
    });
  });

  it('reports partial success in protobuf', async () => {
    const answer = Buffer.from(await (await server.send('traces', protobuf(half))).arrayBuffer());
    // partial_success (1) { rejected_spans (1) = 1, error_message (2) }
    expect(answer.subarray(0, 1).toString('hex')).toBe('0a');
    expect(answer.subarray(2, 5).toString('hex')).toBe('080112');
    expect(answer.toString()).toContain('span_id is not 8 bytes');
  });
});

describe('an invalid request', () => {
  const bearer = (authorization: string) => ({ ...json, authorization });
  it.each([
    ['no token', '{}', bearer(''), 401, 16],
    ['a wrong token', '{}', bearer('Bearer nope'), 401, 16],
    ['a token without the permission', '{}', bearer('Bearer weak'), 403, 7],
    ['another media type', 'x', { 'content-type': 'text/plain' }, 415, 3],
    ['another encoding', '{}', { ...json, 'content-encoding': 'br' }, 415, 3],
    ['broken JSON', '{"resourceSpans":[', json, 400, 3],
    ['5000 levels', `${'['.repeat(5000)}`, json, 400, 3],
    ['what is not gzip', 'plain', { ...json, 'content-encoding': 'gzip' }, 400, 3],
    ['cut gzip', gzipSync(JSON.stringify(good)).subarray(0, 30), { ...json, 'content-encoding': 'gzip' }, 400, 3],
    ['too much', ' '.repeat(300_000), json, 413, 8],
    ['too much when compressed', Buffer.alloc(60_000, 1), { ...json, 'content-encoding': 'gzip' }, 413, 8],
    ['a gzip bomb', gzipSync(Buffer.alloc(20 << 20)), { ...json, 'content-encoding': 'gzip' }, 413, 8],
    ['too many items', JSON.stringify(tracesRequest(Array.from({ length: 101 }, () => span))), json, 413, 8],
  ])('%s', async (_, body, headers, status, code) => {
    const response = await server.send('traces', body, headers);
    expect([response.status, await response.json()]).toEqual([status, { code, message: expect.stringMatching(/./) }]);
  });

  it('gets a protobuf response when it was sent as protobuf', async () => {
    const response = await server.send('traces', new Uint8Array([0x0a, 0xff, 0xff]));
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/x-protobuf']);
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 3)
        .toString('hex'),
    ).toBe('080312');
  });

  it('may break off without harming the server', async () => {
    await new Promise<void>((resolve) => {
      const headers = {
        authorization: 'Bearer good',
        'content-type': 'application/x-protobuf',
        'content-length': '1000',
      };
      const cut = request(`${server.base}/v1/traces`, { method: 'POST', headers });
      cut.once('error', () => resolve());
      cut.write('abc', () => cut.destroy());
      cut.once('close', () => resolve());
    });
    expect((await server.send('traces', protobuf(good))).status).toBe(200);
  });

  it('in chunks without a length is stopped at the limit', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: 'Bearer good', 'content-type': 'application/json' };
      const endless = request(`${server.base}/v1/traces`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        endless.destroy();
      });
      endless.once('error', reject);
      const more = () => {
        while (endless.write(' '.repeat(10_000)));
        endless.once('drain', more);
      };
      more();
    });
    expect(status).toBe(413);
  });
});
