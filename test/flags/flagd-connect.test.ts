import { gzipSync } from 'node:zlib';
import { MethodKind, proto3, ScalarType, Struct } from '@bufbuild/protobuf';
import { Code, createPromiseClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { FlagdWebProvider } from '@openfeature/flagd-web-provider';
import { OpenFeature } from '@openfeature/web-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/server/src/testing/free-port.ts';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf, half } from './support.ts';

const v1 = '/flagd.evaluation.v1.Service';
const v2 = '/flagd.evaluation.v2.Service';
const page = 'https://shop.example';

/** flagd's provider for browsers and Connect's client, both as published, against a running server. */
describe("flagd's evaluation over Connect", () => {
  let server: TestServer;
  let port: number;
  let base: string;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  let key: string;
  let clientKey: string;

  beforeAll(async () => {
    port = await freePort();
    server = await startTestServer({ env: { FANION_FLAGD_PORT: String(port) } });
    base = `http://127.0.0.1:${port}`;
    user = await signUp(server.base, 'connect');
    flags = flagsOf(user);
    key = await user.sdkKey();
    clientKey = await user.sdkKey('production', { kind: 'client', allowed_origins: [page] });
    await flags.create('half');
    await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
    const variants = (...values: unknown[]) => values.map((value, i) => ({ key: `v${i}`, value }));
    const more = { default_variant: 'v0', off_variant: null };
    await flags.create('words', { ...more, kind: 'string', variants: variants('größe', '') });
    await flags.create('count', { ...more, kind: 'number', variants: variants(-7, 2.5) });
    await flags.create('shape', { ...more, kind: 'json', variants: variants({ a: [1, null, { b: true }] }, [1]) });
    for (const name of ['words', 'count', 'shape'])
      await flags.serve(name, {
        rules: [{ clauses: [{ attribute: 'second', op: 'eq', values: [true] }], variant: 'v1' }],
        fallthrough: { variant: 'v0' },
      });
    await flags.create('nothing');
    await flags.serve('nothing', { enabled: false, off_variant: null });
  });
  afterEach(() => OpenFeature.clearProviders());
  afterAll(() => server?.stop());

  // The provider has the types of another build of Connect's client.
  const withKey =
    (own: string) =>
    <Request extends { readonly header: Headers }, Answer>(next: (request: Request) => Answer) =>
    (request: Request): Answer => {
      request.header.set('authorization', `Bearer ${own}`);
      return next(request);
    };

  describe('through the provider for browsers', () => {
    async function start(own: string, context: Record<string, string | boolean>) {
      await OpenFeature.setContext(context);
      const provider = new FlagdWebProvider({ host: '127.0.0.1', port, tls: false, interceptors: [withKey(own)] });
      await OpenFeature.setProviderAndWait(provider);
      return OpenFeature.getClient();
    }

    it('serves the values of OFREP', async () => {
      const ofrep = testClient(server.base, { bearer: key });
      for (let i = 0; i < 20; i++) {
        const context = { targetingKey: `user-${i}`, second: i % 2 === 0 };
        const sdk = await start(i % 3 === 0 ? key : clientKey, context);
        const want = async (flag: string) => (await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, { context })).json;
        const { value, variant, reason } = sdk.getBooleanDetails('half', false);
        expect(await want('half')).toMatchObject({ value, variant, reason });
        expect(sdk.getStringValue('words', 'default')).toBe((await want('words')).value);
        expect(sdk.getNumberValue('count', 0)).toBe((await want('count')).value);
        if (!context.second) expect(sdk.getObjectValue('shape', {})).toEqual((await want('shape')).value);
        expect(sdk.getBooleanValue('nothing', true)).toBe(true);
        await OpenFeature.clearProviders();
      }
    });

    it('receives a change', async () => {
      await flags.create('changing');
      await flags.serve('changing');
      const sdk = await start(clientKey, { targetingKey: 'u' });
      expect(sdk.getBooleanValue('changing', false)).toBe(true);
      await flags.serve('changing', { enabled: false, off_variant: 'false' });
      await until(async () => sdk.getBooleanValue('changing', true) === false);
    });
  });

  describe('through the client of Connect', () => {
    const service = serviceOf('flagd.evaluation.v2.Service');
    const clientOf = (useBinaryFormat: boolean, own = key) =>
      createPromiseClient(
        service,
        createConnectTransport({ baseUrl: base, useBinaryFormat, interceptors: [withKey(own)] }),
      );

    it.each([['JSON', false] as const, ['Protocol Buffers', true] as const])('speaks %s', async (_name, isBinary) => {
      const client = clientOf(isBinary);
      const context = Struct.fromJson({ targetingKey: 'user-1' });
      expect(await client.resolveInt({ flagKey: 'count', context })).toMatchObject({
        ...{ value: -7n, reason: 'DEFAULT', variant: 'v0' },
      });
      expect(await client.resolveInt({ flagKey: 'nothing', context })).not.toHaveProperty('value');
      await expect(client.resolveInt({ flagKey: 'missing', context })).rejects.toMatchObject({ code: Code.NotFound });
      await expect(client.resolveInt({ flagKey: 'words', context })).rejects.toMatchObject({
        code: Code.InvalidArgument,
      });
      await expect(clientOf(isBinary, 'svc_sdk_wrong').resolveInt({ flagKey: 'count' })).rejects.toMatchObject({
        code: Code.Unauthenticated,
      });
    });

    it.each([['JSON', false] as const, ['Protocol Buffers', true] as const])(
      'streams %s until the timeout of the client',
      async (_name, isBinary) => {
        const types: unknown[] = [];
        const stream = clientOf(isBinary).eventStream({}, { timeoutMs: 1_000 });
        const ended = (async () => {
          for await (const event of stream) if ('type' in event) types.push(event.type);
        })();
        await expect(ended).rejects.toMatchObject({ code: Code.DeadlineExceeded });
        expect(types).toEqual(['provider_ready']);
      },
    );
  });

  function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
    const type = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const bytes = new Uint8Array(Buffer.from(body as string));
    return fetch(`${base}${path}`, { method: 'POST', headers: { ...type, ...headers }, body: bytes });
  }
  const question = (flagKey: string, context: object = { targetingKey: 'user-1' }) =>
    JSON.stringify({ flagKey, context });
  const failureOf = async (answer: Response) => [answer.status, (await answer.json()).code];

  it('answers both versions', async () => {
    for (const version of [v1, v2]) {
      const answer = await (await post(`${version}/ResolveString`, question('words'))).json();
      expect(answer).toMatchObject({ value: 'größe', variant: 'v0', reason: 'DEFAULT' });
      expect(await (await post(`${version}/ResolveFloat`, question('count', { second: true }))).json()).toMatchObject({
        value: 2.5,
      });
      expect(await (await post(`${version}/ResolveObject`, question('shape'))).json()).toMatchObject({
        value: { a: [1, null, { b: true }] },
      });
      const { flags: all } = await (await post(`${version}/ResolveAll`, question(''))).json();
      expect(Object.keys(all).sort()).toEqual(expect.arrayContaining(['count', 'half', 'shape', 'words']));
      expect(all).not.toHaveProperty('nothing');
    }
    expect(await failureOf(await post(`${v1}/ResolveBoolean`, question('nothing')))).toEqual([404, 'not_found']);
    expect(await (await post(`${v2}/ResolveBoolean`, question('nothing'))).json()).not.toHaveProperty('value');
  });

  it('counts each evaluation of one flag, and none of all flags', async () => {
    await flags.create('counted');
    await flags.serve('counted');
    for (let i = 0; i < 3; i++) await post(`${v1}/ResolveBoolean`, question('counted'));
    await post(`${v1}/ResolveAll`, question(''));
    const counted = async () => {
      const query = 'flags "counted" | stats count()';
      const answer = await user.post(`${user.workspace}/query`, {
        ...{ query, environment: 'production' },
        ...{ from: 'now-1h', to: 'now+1h' },
      });
      return Number(answer.data?.rows[0]?.[0] ?? 0);
    };
    await until(async () => (await counted()) >= 3);
    expect(await counted()).toBe(3);
  });

  it('takes the key from several headers, and rejects other credentials', async () => {
    const ask = async (headers: Record<string, string>) =>
      (
        await fetch(`${base}${v1}/ResolveString`, {
          ...{ method: 'POST', body: question('words') },
          headers: { 'content-type': 'application/json', ...headers },
        })
      ).status;
    expect(await ask({ 'flagd-selector': key })).toBe(200);
    expect(await ask({ 'x-api-key': key })).toBe(200);
    expect(await ask({ authorization: key })).toBe(200);
    expect(await ask({ authorization: `Basic ${Buffer.from(`key:${key}`).toString('base64')}` })).toBe(200);
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: 'Bearer svc_sdk_wrong' })).toBe(401);
    expect(await ask({ authorization: `Bearer ${await user.token(['flags:read'])}` })).toBe(403);
  });

  it('lets only pages of the origins of the key read the answer, and answers preflights', async () => {
    const allowed = async (origin: string, own: string, flag = 'words') => {
      const answer = await post(`${v1}/ResolveString`, question(flag), { origin, authorization: `Bearer ${own}` });
      return answer.headers.get('access-control-allow-origin');
    };
    expect(await allowed(page, clientKey)).toBe(page);
    expect(await allowed(page, clientKey, 'missing')).toBe(page);
    expect(await allowed('https://other.example', clientKey)).toBeNull();
    expect(await allowed(page, key)).toBeNull();
    const preflight = await fetch(`${base}${v1}/EventStream`, {
      method: 'OPTIONS',
      headers: { origin: page, 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, page]);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Connect-Protocol-Version, Connect-Timeout/);
    const stream = await streamed(enveloped('{}'), { origin: page, authorization: `Bearer ${clientKey}` });
    expect(stream.headers.get('access-control-allow-origin')).toBe(page);
    await stream.body?.cancel();
  });

  it.each<[string, Parameters<typeof post>, number, string]>([
    [
      'another content type',
      [`${v1}/ResolveString`, question('words'), { 'content-type': 'text/plain' }],
      415,
      'unknown',
    ],
    [
      'the content type of a stream',
      [`${v1}/ResolveString`, question('words'), { 'content-type': 'application/connect+json' }],
      ...([415, 'unknown'] as const),
    ],
    ['an unknown method', [`${v1}/ResolveNothing`, question('words')], 404, 'unimplemented'],
    ['an unknown service', ['/flagd.evaluation.v3.Service/ResolveString', question('words')], 404, 'unimplemented'],
    [
      'another version of the protocol',
      [`${v1}/ResolveString`, question('words'), { 'connect-protocol-version': '2' }],
      ...([400, 'invalid_argument'] as const),
    ],
    [
      'a malformed timeout',
      [`${v1}/ResolveString`, question('words'), { 'connect-timeout-ms': 'soon' }],
      ...([400, 'invalid_argument'] as const),
    ],
    [
      'an unknown compression',
      [`${v1}/ResolveString`, question('words'), { 'content-encoding': 'br' }],
      ...([501, 'unimplemented'] as const),
    ],
    [
      'text that is said to be gzip',
      [`${v1}/ResolveString`, question('words'), { 'content-encoding': 'gzip' }],
      ...([400, 'invalid_argument'] as const),
    ],
    [
      'a gzip bomb',
      [`${v1}/ResolveString`, gzipSync(Buffer.alloc(50_000_000, 32)), { 'content-encoding': 'gzip' }],
      ...([429, 'resource_exhausted'] as const),
    ],
    ['malformed JSON', [`${v1}/ResolveString`, '{"flagKey":'], 400, 'invalid_argument'],
    ['an empty body', [`${v1}/ResolveString`, ''], 400, 'invalid_argument'],
    ['a list', [`${v1}/ResolveString`, '[]'], 400, 'invalid_argument'],
    [
      'bytes that are no message',
      [`${v1}/ResolveString`, Buffer.from([10, 200, 1, 1]), { 'content-type': 'application/proto' }],
      ...([400, 'invalid_argument'] as const),
    ],
    [
      'a context of a megabyte',
      [`${v1}/ResolveString`, question('words', { a: 'x'.repeat(1_000_000) })],
      ...([429, 'resource_exhausted'] as const),
    ],
    [
      'too many attributes',
      [`${v1}/ResolveString`, question('words', Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [i, 1])))],
      ...([400, 'invalid_argument'] as const),
    ],
    [
      'a context of 200,000 levels',
      [`${v1}/ResolveString`, `{"flagKey":"words","context":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
      ...([400, 'invalid_argument'] as const),
    ],
  ])('rejects %s', async (_name, request, httpStatus, code) => {
    expect(await failureOf(await post(...request))).toEqual([httpStatus, code]);
  });

  it('accepts gzip, a prototype as data, and a body without its length', async () => {
    const gzip = await post(`${v1}/ResolveString`, gzipSync(question('words')), { 'content-encoding': 'gzip' });
    expect((await gzip.json()).value).toBe('größe');
    const prototype = '{"flagKey":"words","context":{"__proto__":{"second":true}}}';
    expect((await (await post(`${v1}/ResolveString`, prototype)).json()).value).toBe('größe');
    const body = new Blob([question('words')]).stream();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const chunked = await fetch(`${base}${v1}/ResolveString`, init);
    expect((await chunked.json()).value).toBe('größe');
  });

  it('accepts smaller contexts of a client key than of a server key', async () => {
    const large = question('words', { a: 'x'.repeat(100_000) });
    expect((await post(`${v1}/ResolveString`, large)).status).toBe(200);
    const own = { authorization: `Bearer ${clientKey}` };
    expect(await failureOf(await post(`${v1}/ResolveString`, large, own))).toEqual([429, 'resource_exhausted']);
  });

  it('takes no other method than POST', async () => {
    const url = `${base}${v1}/ResolveString?encoding=json&message=%7B%7D&connect=v1`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  function enveloped(text: string | Buffer, flags = 0): Buffer {
    const message = Buffer.from(text as string);
    const prefix = Buffer.alloc(5);
    prefix[0] = flags;
    prefix.writeUInt32BE(message.length, 1);
    return Buffer.concat([prefix, message]);
  }
  const streamed = (body: Buffer, headers: Record<string, string> = {}) =>
    post(`${v1}/EventStream`, body, { 'content-type': 'application/connect+json', ...headers });

  /** The messages of a stream that has ended. */
  async function messagesOf(answer: Response): Promise<unknown[]> {
    const bytes = Buffer.from(await answer.arrayBuffer());
    const found: unknown[] = [];
    for (let at = 0; at < bytes.length; at += 5 + bytes.readUInt32BE(at + 1))
      found.push(JSON.parse(bytes.toString('utf8', at + 5, at + 5 + bytes.readUInt32BE(at + 1))));
    return found;
  }

  it.each<[string, Buffer, Record<string, string>, string]>([
    ['no message', Buffer.alloc(0), {}, 'unimplemented'],
    ['a message that is cut off', enveloped('{}').subarray(0, 6), {}, 'invalid_argument'],
    ['two messages', Buffer.concat([enveloped('{}'), enveloped('{}')]), {}, 'unimplemented'],
    ['JSON without an envelope', Buffer.from('{}'), {}, 'invalid_argument'],
    ['a compressed message without a compression', enveloped(gzipSync('{}'), 1), {}, 'internal'],
    ['a compression that is unknown', enveloped('{}'), { 'connect-content-encoding': 'br' }, 'unimplemented'],
    ['malformed JSON', enveloped('{'), {}, 'invalid_argument'],
    ['too many bytes', enveloped('x'.repeat(1_000_000)), {}, 'resource_exhausted'],
    ['a wrong key', enveloped('{}'), { authorization: 'Bearer svc_sdk_wrong' }, 'unauthenticated'],
    ['another version of the protocol', enveloped('{}'), { 'connect-protocol-version': '7' }, 'invalid_argument'],
  ])('ends a stream with %s', async (_name, body, headers, code) => {
    const answer = await streamed(body, headers);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/connect+json']);
    expect(await messagesOf(answer)).toEqual([{ error: { code, message: expect.any(String) } }]);
  });

  it('rejects the content type of other methods for a stream', async () => {
    const answer = await streamed(enveloped('{}'), { 'content-type': 'application/json' });
    expect([answer.status, answer.headers.get('accept-post')]).toEqual([
      415,
      'application/connect+json, application/connect+proto',
    ]);
  });

  it('opens a stream whose request is compressed', async () => {
    const headers = { 'connect-content-encoding': 'gzip', 'connect-timeout-ms': '100' };
    const answer = await streamed(enveloped(gzipSync('{}'), 1), headers);
    expect(await messagesOf(answer)).toEqual([
      { type: 'provider_ready', data: {} },
      { error: { code: 'deadline_exceeded', message: expect.any(String) } },
    ]);
  });

  it('ends the stream of a revoked key', async () => {
    const own = await user.sdkKey();
    const { data } = await user.get('/api/v1/tokens?kind=sdk&limit=1');
    const answer = await streamed(enveloped('{}'), { authorization: `Bearer ${own}` });
    expect((await user.del(`/api/v1/tokens/${data[0].id}?workspace=${user.workspaceId}`)).status).toBe(204);
    expect((await messagesOf(answer)).at(-1)).toEqual({
      error: { code: 'unauthenticated', message: 'the key was revoked' },
    });
  });

  it('ends streams when the server stops', async () => {
    const own = await freePort();
    const other = await startTestServer({ env: { FANION_FLAGD_PORT: String(own) } });
    const someone = await signUp(other.base, 'stopping');
    const answer = await fetch(`http://127.0.0.1:${own}${v2}/EventStream`, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json', authorization: `Bearer ${await someone.sdkKey()}` },
      body: new Uint8Array(enveloped('{}')),
    });
    await other.stop();
    expect((await messagesOf(answer)).at(-1)).toEqual({
      error: { code: 'unavailable', message: 'the server is stopping' },
    });
  });
});

/** A part of flagd's service, as a client generates it from the protocol. */
function serviceOf(typeName: string) {
  const request = proto3.makeMessageType('flagd.evaluation.v2.ResolveIntRequest', () => [
    { no: 1, name: 'flag_key', kind: 'scalar', T: ScalarType.STRING },
    { no: 2, name: 'context', kind: 'message', T: Struct },
  ]);
  const response = proto3.makeMessageType('flagd.evaluation.v2.ResolveIntResponse', () => [
    { no: 1, name: 'value', kind: 'scalar', T: ScalarType.INT64, opt: true },
    { no: 2, name: 'reason', kind: 'scalar', T: ScalarType.STRING },
    { no: 3, name: 'variant', kind: 'scalar', T: ScalarType.STRING, opt: true },
    { no: 4, name: 'metadata', kind: 'message', T: Struct },
  ]);
  const event = proto3.makeMessageType('flagd.evaluation.v2.EventStreamResponse', () => [
    { no: 1, name: 'type', kind: 'scalar', T: ScalarType.STRING },
    { no: 2, name: 'data', kind: 'message', T: Struct },
  ]);
  const nothing = proto3.makeMessageType('flagd.evaluation.v2.EventStreamRequest', () => []);
  return {
    typeName,
    methods: {
      resolveInt: { name: 'ResolveInt', I: request, O: response, kind: MethodKind.Unary },
      eventStream: { name: 'EventStream', I: nothing, O: event, kind: MethodKind.ServerStreaming },
    },
  } as const;
}
