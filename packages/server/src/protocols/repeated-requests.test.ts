import { gzipSync } from 'node:zlib';
import { jsonToProtobuf } from '@fanion/telemetry';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, nanos, tracesRequest } from '../../../telemetry/src/testing/otlp.ts';
import { startTestServer, type TestServer } from '../features/telemetry/ingest/testing/http.ts';
import { count, quietLog, startTestStore, type TestStore } from '../features/telemetry/ingest/testing/store.ts';
import { createOtlpGrpc, type OtlpGrpc } from './otlp/ingest/grpc.ts';

const now = Date.now();
const span = (name: string, spanId = 'b7ad6b7169203331') => ({
  ...{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId, name },
  startTimeUnixNano: nanos(now),
});

describe('a request that is repeated since its answer was lost', () => {
  let telemetry: TestStore;
  let server: TestServer;
  let grpc: OtlpGrpc;
  let client: Client;
  beforeAll(async () => {
    telemetry = await startTestStore();
    server = await startTestServer({ clickhouse: telemetry.clickhouse });
    grpc = createOtlpGrpc({ ...server.ingest.receiver(server.authenticate), log: quietLog });
    client = new Client(`127.0.0.1:${await grpc.listen('127.0.0.1', 0)}`, credentials.createInsecure());
  });
  afterAll(async () => {
    client?.close();
    await grpc?.stop();
    await server?.close();
    await telemetry?.close();
  });

  const rows = async (table: string, column: string, name: string) => {
    await server.ingest.flush();
    return count(telemetry.store, `SELECT count() FROM ${table} WHERE ${column} = {name:String}`, { name });
  };
  const binary = async (response: Response) => {
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer()).toString('base64');
  };
  function sendGrpc(body: Buffer): Promise<string> {
    const metadata = new Metadata();
    metadata.set('authorization', 'Bearer good');
    const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
    const asIs = (bytes: Buffer) => bytes;
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, asIs, asIs, body, metadata, (error, answer) =>
        error === null ? resolve((answer ?? Buffer.alloc(0)).toString('base64')) : reject(error),
      );
    });
  }

  it('is stored once over HTTP and gRPC, packed or not, with the same partial success', async () => {
    const request = tracesRequest([span('once'), span('once', 'ab')]);
    const body = jsonToProtobuf('traces', Buffer.from(JSON.stringify(request)));
    const first = await binary(await server.send('traces', body));
    expect(first).not.toBe('');
    const packed = await binary(await server.send('traces', gzipSync(body), { 'content-encoding': 'gzip' }));
    expect([packed, await binary(await server.send('traces', body)), await sendGrpc(body)]).toEqual(
      Array(3).fill(first),
    );
    expect(await rows('spans', 'name', 'once')).toBe(1);
    expect(server.ingest.stats().signals.traces).toMatchObject({ accepted: 1, rejected: 1, repeated: 3 });
    const counted = await telemetry.store.queryRows<{ reason: string; items: string }>(
      `SELECT reason, sum(items) AS items FROM ingest_refusals WHERE kind = 'repeated' GROUP BY reason ORDER BY reason`,
    );
    expect(counted.map(({ reason, items }) => [reason, Number(items)])).toEqual([
      ['items', 3],
      ['requests', 3],
    ]);
  });

  it('is stored once as JSON, also when several come at the same time', async () => {
    const body = JSON.stringify(logsRequest([{ body: { stringValue: 'at once' }, timeUnixNano: nanos(now) }]));
    const json = { 'content-type': 'application/json' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.send('logs', body, json)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(await rows('logs', 'body', 'at once')).toBe(1);
  });

  it('is stored again if a record has no time: that is another record', async () => {
    const body = JSON.stringify(logsRequest([{ body: { stringValue: 'still alive' } }]));
    for (let i = 0; i < 3; i++)
      expect((await server.send('logs', body, { 'content-type': 'application/json' })).status).toBe(200);
    expect(await rows('logs', 'body', 'still alive')).toBe(3);
  });
});
