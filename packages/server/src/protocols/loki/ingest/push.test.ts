import { gzipSync } from 'node:zlib';
import { WireWriter } from '@fanion/telemetry';
import fc from 'fast-check';
import { compress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { nanos } from '../../../../../telemetry/src/testing/otlp.ts';
import { useIngestEndpoint } from '../../testing/ingest-endpoint.ts';

const endpoint = useIngestEndpoint('/loki/api/v1/push');
const { send, ask } = endpoint;

const now = Date.now() - 60_000;
const trace = '0af7651916cd43dd8448eb211c80319c';
const json = { 'content-type': 'application/json' };
const protobuf = { 'content-type': 'application/x-protobuf' };

const stored = (service: string, count: number) =>
  endpoint.gives(`logs | where service.name == "${service}" | stats n=count()`, count);

function push(labels: Record<string, string>, values: unknown[]): string {
  return JSON.stringify({ streams: [{ stream: labels, values }] });
}

function pushProtobuf(labels: string, lines: { time: number; line: string; metadata?: [string, string][] }[]): Buffer {
  const writer = new WireWriter();
  const message = (tag: number, write: () => void) => {
    writer.varint(tag);
    writer.nested(write);
  };
  const text = (tag: number, value: string) => {
    writer.varint(tag);
    writer.string(value);
  };
  message(10, () => {
    text(10, labels);
    for (const { time, line, metadata = [] } of lines) {
      message(18, () => {
        message(10, () => {
          writer.varint(8);
          writer.varint(Math.floor(time / 1000));
          writer.varint(16);
          writer.varint((time % 1000) * 1_000_000);
        });
        text(18, line);
        for (const [name, value] of metadata) {
          message(26, () => {
            text(10, name);
            text(18, value);
          });
        }
      });
    }
  });
  return Buffer.from(compress(Uint8Array.from(writer.result())));
}

describe('a Loki push', () => {
  it('in JSON is stored with its labels and structured metadata', async () => {
    const labels = { app: 'cart', level: 'info', deployment_environment: 'development' };
    const values = [
      [nanos(now), 'cart opened'],
      [nanos(now + 1), 'no such item', { level: 'error', trace_id: trace, user: 'ada' }],
    ];
    const answer = await send(push(labels, values), json);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    await stored('cart', 2);
    expect(
      await ask(
        'logs | where service.name == "cart" | sort time | fields body, severity, trace_id, attr.user, resource.app, environment',
      ),
    ).toEqual([
      ['cart opened', 'info', null, null, 'cart', 'development'],
      ['no such item', 'error', trace, 'ada', 'cart', 'development'],
    ]);
  });

  it('in JSON may be gzipped', async () => {
    const body = gzipSync(push({ service_name: 'zipped' }, [[nanos(now), 'x']]));
    expect((await send(body, { ...json, 'content-encoding': 'gzip' })).status).toBe(204);
    await stored('zipped', 1);
  });

  const encodings: Record<string, string>[] = [{}, { 'content-encoding': 'snappy' }];
  it.each(encodings)('in protobuf is stored the same (%o)', async (encoding) => {
    const service = 'content-encoding' in encoding ? 'said' : 'unsaid';
    const body = pushProtobuf(`{service_name="${service}", host="a\\"b"}`, [
      { time: now, line: 'one', metadata: [['span_id', 'b7ad6b7169203331']] },
      { time: now + 5, line: 'two' },
    ]);
    expect((await send(body, { ...protobuf, ...encoding })).status).toBe(204);
    await stored(service, 2);
    const query = `logs | where service.name == "${service}" | sort time | fields body, span_id, resource.host`;
    expect(await ask(query)).toEqual([
      ['one', 'b7ad6b7169203331', 'a"b'],
      ['two', null, 'a"b'],
    ]);
  });

  it('reports rejected lines and stores the others', async () => {
    const answer = await send(
      push({ service_name: 'part' }, [
        [nanos(now - 40 * 86_400_000), 'old'],
        [nanos(now), 'new'],
      ]),
      json,
    );
    expect([answer.status, await answer.text()]).toEqual([400, '1 × time is older than the retention\n']);
    await stored('part', 1);
  });

  it.each([
    ['no JSON', '{', json, 400],
    ['no streams', '{}', json, 400],
    ['a line that is no text', push({}, [[nanos(now), 7]]), json, 400],
    ['an invalid time', push({}, [['yesterday', 'x']]), json, 400],
    ['invalid labels', pushProtobuf('job', []), protobuf, 400],
    ['what is not Snappy', 'hello', protobuf, 400],
    ['a bomb', Buffer.from(compress(new Uint8Array(40 << 20))), protobuf, 413],
    ['another media type', 'x', { 'content-type': 'text/plain' }, 415],
    ['another encoding', 'x', { ...json, 'content-encoding': 'br' }, 415],
    ['nobody', push({}, []), { ...json, authorization: 'Bearer nobody' }, 401],
  ])('rejects %s', async (_, body, headers, status) => {
    const answer = await send(body, headers);
    expect([answer.status, (await answer.text()).length > 1]).toEqual([status, true]);
  });

  it('accepts the token as the Basic password', async () => {
    const authorization = `Basic ${Buffer.from(`loki:${endpoint.token}`).toString('base64')}`;
    expect((await send(push({}, []), { ...json, authorization })).status).toBe(204);
  });

  it('never causes an internal error, for any input', async () => {
    const valid = pushProtobuf('{a="b"}', [{ time: now, line: 'x', metadata: [['k', 'v']] }]);
    const requests = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => [Buffer.from(bytes), protobuf] as const),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => [Buffer.from(compress(bytes)), protobuf] as const),
      fc
        .tuple(fc.nat(valid.length - 1), fc.nat(255))
        .map(([at, to]) => [Buffer.from(valid).fill(to, at, at + 1), protobuf] as const),
      fc.json().map((text) => [Buffer.from(text), json] as const),
      fc
        .record({ streams: fc.array(fc.record({ stream: fc.jsonValue(), values: fc.jsonValue() })) })
        .map((value) => [Buffer.from(JSON.stringify(value)), json] as const),
    );
    await fc.assert(
      fc.asyncProperty(requests, async ([body, headers]) => {
        const answer = await send(body, headers);
        expect([204, 400, 413]).toContain(answer.status);
        await answer.text();
      }),
      { numRuns: 300 },
    );
  });
});
