import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonToProtobuf } from './json/to-protobuf.ts';
import { startTestServer, type TestServer } from './testing/http.ts';
import { count, startTestStore, type TestStore } from './testing/store.ts';

let telemetry: TestStore;
let server: TestServer;

beforeAll(async () => {
  telemetry = await startTestStore();
  server = await startTestServer({ clickhouse: telemetry.clickhouse });
});
afterAll(async () => {
  await server?.close();
  await telemetry?.close();
});

const json = { 'content-type': 'application/json' };
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
let next = 1;

function spans(number: number, service: string, startMs = Date.now()) {
  const start = BigInt(startMs) * 1_000_000n;
  return {
    resourceSpans: [
      {
        resource: { attributes: [text('service.name', service), text('telemetry.sdk.language', 'nodejs')] },
        scopeSpans: [
          {
            scope: { name: 'test', version: '1' },
            spans: Array.from({ length: number }, (_, i) => ({
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: (next++).toString(16).padStart(16, '0'),
              name: `GET /${i}`,
              kind: 2,
              startTimeUnixNano: String(start),
              endTimeUnixNano: String(start + 5_000_000n),
              attributes: [text('http.route', '/cart'), { key: 'n', value: { intValue: String(i) } }],
              status: { code: i % 2 },
            })),
          },
        ],
      },
    ],
  };
}

describe('OTLP/HTTP to the store', () => {
  it('stores spans sent as JSON, as protobuf and gzipped', async () => {
    const asJson = await server.send('traces', JSON.stringify(spans(3, 'a')), json);
    expect([asJson.status, await asJson.json()]).toEqual([200, {}]);
    const protobuf = jsonToProtobuf('traces', Buffer.from(JSON.stringify(spans(4, 'a'))));
    const asProtobuf = await server.send('traces', protobuf);
    expect([asProtobuf.status, (await asProtobuf.arrayBuffer()).byteLength]).toEqual([200, 0]);
    const zipped = gzipSync(JSON.stringify(spans(5, 'a')));
    expect((await server.send('traces', zipped, { ...json, 'content-encoding': 'gzip' })).status).toBe(200);
    await server.ingest.flush();
    expect(await count(telemetry.store, `SELECT count() FROM spans WHERE service = 'a'`)).toBe(12);
    expect(await count(telemetry.store, `SELECT sum(items) FROM arrivals WHERE service = 'a'`)).toBe(12);
  });
});
