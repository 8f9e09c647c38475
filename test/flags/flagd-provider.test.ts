import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { FlagdProvider } from '@openfeature/flagd-provider';
import { type EvaluationContext, OpenFeature } from '@openfeature/server-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/server/src/testing/free-port.ts';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf, half } from './support.ts';

/** flagd's published provider, unchanged but for its port and selector, against a running server. */
describe("flagd's evaluation over gRPC", () => {
  let server: TestServer;
  let port: number;
  let syncPort: number;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  let key: string;
  let client: Client;

  beforeAll(async () => {
    port = await freePort();
    syncPort = await freePort();
    server = await startTestServer({
      env: { FANION_FLAGD_PORT: String(port), FANION_FLAGD_SYNC_PORT: String(syncPort) },
    });
    user = await signUp(server.base, 'flagd');
    flags = flagsOf(user);
    key = await user.sdkKey();
    client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    await flags.create('half');
    await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
    const variants = (...values: unknown[]) => values.map((value, i) => ({ key: `v${i}`, value }));
    const more = { default_variant: 'v0', off_variant: null };
    await flags.create('words', { ...more, kind: 'string', variants: variants('größe', '') });
    await flags.create('count', { ...more, kind: 'number', variants: variants(-7, 2.5) });
    await flags.create('shape', {
      ...more,
      kind: 'json',
      variants: variants({ a: [1, null, { b: true }], c: 'x' }, [1]),
    });
    for (const name of ['words', 'count', 'shape'])
      await flags.serve(name, {
        rules: [{ clauses: [{ attribute: 'second', op: 'eq', values: [true] }], variant: 'v1' }],
        fallthrough: { variant: 'v0' },
      });
    await flags.create('nothing');
    await flags.serve('nothing', { enabled: false, off_variant: null });
  });
  afterEach(() => OpenFeature.clearProviders());
  afterAll(async () => {
    client?.close();
    await server?.stop();
  });

  describe('through the provider', () => {
    async function start(selector = key) {
      await OpenFeature.setProviderAndWait(
        new FlagdProvider({ host: '127.0.0.1', port, selector, resolverType: 'rpc', deadlineMs: 5_000 }),
      );
      return OpenFeature.getClient();
    }

    it('serves the values of OFREP', async () => {
      const sdk = await start();
      const ofrep = testClient(server.base, { bearer: key });
      for (let i = 0; i < 30; i++) {
        const context: EvaluationContext = { targetingKey: `user-${i}`, second: i % 2 === 0 };
        const want = async (flag: string) => (await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, { context })).json;
        const { value, variant, reason } = await sdk.getBooleanDetails('half', false, context);
        expect({ value, variant, reason }).toMatchObject(
          (({ value, variant, reason }) => ({ value, variant, reason }))(await want('half')),
        );
        expect(await sdk.getStringValue('words', 'default', context)).toBe((await want('words')).value);
        expect(await sdk.getNumberValue('count', 0, context)).toBe((await want('count')).value);
      }
      expect(await sdk.getObjectValue('shape', {}, {})).toEqual({ a: [1, null, { b: true }], c: 'x' });
    });

    it('returns the default of the caller for a flag without a value, of another type, and without a unit', async () => {
      const sdk = await start();
      const unit = { targetingKey: 'u' };
      expect(await sdk.getBooleanValue('nothing', true, unit)).toBe(true);
      expect(await sdk.getBooleanValue('unknown', true, unit)).toBe(true);
      expect(await sdk.getBooleanDetails('words', true, unit)).toMatchObject({
        value: true,
        errorCode: 'TYPE_MISMATCH',
      });
      expect(await sdk.getBooleanValue('half', true, {})).toBe(true);
      expect(await sdk.getObjectValue('shape', { own: 1 }, { second: true })).toEqual({ own: 1 });
    });

    it('receives a change', async () => {
      const sdk = await start();
      await flags.create('changing');
      await flags.serve('changing');
      let events = 0;
      sdk.addHandler('PROVIDER_CONFIGURATION_CHANGED' as never, () => void events++);
      await until(() => sdk.getBooleanValue('changing', false, { targetingKey: 'u' }));
      const before = events;
      await flags.serve('changing', { enabled: false, off_variant: 'false' });
      await until(async () => events > before);
      expect(await sdk.getBooleanValue('changing', true, { targetingKey: 'u' })).toBe(false);
    });
  });

  describe('through the provider with evaluation in its process', () => {
    async function start(selector: string) {
      await OpenFeature.setProviderAndWait(
        new FlagdProvider({
          host: '127.0.0.1',
          port: syncPort,
          selector,
          resolverType: 'in-process',
          deadlineMs: 5_000,
        }),
      );
      return OpenFeature.getClient();
    }

    it('serves the values of OFREP, and follows changes', async () => {
      await flags.create('kept');
      const rollout = { weights: half, hash: 'flagd', seed: 'kept' };
      const rules = [{ clauses: [{ attribute: 'plan', op: 'in', values: ['pro'] }], variant: 'true' }];
      await flags.serve('kept', { rules, fallthrough: { rollout } });
      const sdk = await start(key);
      const ofrep = testClient(server.base, { bearer: key });
      for (let i = 0; i < 30; i++) {
        const context = { targetingKey: `user-${i}`, plan: i % 3 === 0 ? 'pro' : 'free' };
        const { json } = await ofrep.post('/ofrep/v1/evaluate/flags/kept', { context });
        expect(await sdk.getBooleanValue('kept', json.value === false, context)).toBe(json.value);
      }
      expect(await sdk.getBooleanDetails('half', true, { targetingKey: 'u' })).toMatchObject({
        value: true,
        errorCode: 'FLAG_NOT_FOUND',
      });
      await flags.serve('kept', { enabled: false, off_variant: 'false' });
      await until(async () => (await sdk.getBooleanValue('kept', true, { plan: 'pro' })) === false);
    });

    it('does not reveal rules to client keys, or to anybody without a key', async () => {
      const sync = new Client(`127.0.0.1:${syncPort}`, credentials.createInsecure());
      const own = await user.sdkKey('production', { kind: 'client' });
      const all = '/flagd.sync.v1.FlagSyncService/FetchAllFlags';
      expect(await call(all, Buffer.alloc(0), { 'flagd-selector': own }, sync)).toBe(status.PERMISSION_DENIED);
      expect(await call(all, Buffer.alloc(0), {}, sync)).toBe(status.UNAUTHENTICATED);
      // The provider for Python asks this without its selector, and stops for every other error.
      const metadata = '/flagd.sync.v1.FlagSyncService/GetMetadata';
      expect(await call(metadata, Buffer.alloc(0), {}, sync)).toBe(status.UNIMPLEMENTED);
      expect(await call(metadata, Buffer.alloc(0), { 'flagd-selector': key }, sync)).toBeInstanceOf(Buffer);
      expect(String(await call(all, Buffer.alloc(0), { 'flagd-selector': key }, sync))).toContain('"words"');
      sync.close();
    });

    it('takes the key from the selector in the request, as flagd itself sends it', async () => {
      const sync = new Client(`127.0.0.1:${syncPort}`, credentials.createInsecure());
      const all = '/flagd.sync.v1.FlagSyncService/FetchAllFlags';
      const withSelector = (selector: string) =>
        call(all, Buffer.concat([Buffer.from([18, selector.length]), Buffer.from(selector)]), {}, sync);
      expect(String(await withSelector(key))).toContain('"words"');
      const own = await user.sdkKey('production', { kind: 'client' });
      expect(await withSelector(own)).toBe(status.PERMISSION_DENIED);
      expect(await withSelector('other')).toBe(status.UNAUTHENTICATED);
      expect(await call(all, Buffer.from([18, 99, 1]), {}, sync)).toBe(status.INVALID_ARGUMENT);
      sync.close();
    });
  });

  /** The bytes of a request with a flag's key and a context, which has one text for each name. */
  function requestOf(flag: string, context: Record<string, string> = {}): Buffer {
    const field = (tag: number, bytes: Uint8Array): Buffer =>
      Buffer.concat([Buffer.from([tag]), length(bytes.length), bytes]);
    const length = (count: number): Buffer => {
      const bytes: number[] = [];
      for (let rest = count; ; rest >>>= 7) {
        bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
        if (rest <= 127) return Buffer.from(bytes);
      }
    };
    const text = (tag: number, value: string) => field(tag, Buffer.from(value));
    const members = Object.entries(context).map(([name, value]) =>
      field(10, Buffer.concat([text(10, name), field(18, text(26, value))])),
    );
    return Buffer.concat([text(10, flag), field(18, Buffer.concat(members))]);
  }

  /** The response, or the code of the error. */
  const call = (
    path: string,
    request: Buffer,
    headers: Record<string, string> = { authorization: `Bearer ${key}` },
    to = client,
  ) =>
    new Promise<Buffer | status>((found) => {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
      const asIs = (bytes: Buffer) => bytes;
      to.makeUnaryRequest(path, asIs, asIs, request, metadata, (error: ServiceError | null, response?: Buffer) =>
        found(error === null && response !== undefined ? response : (error?.code ?? status.UNKNOWN)),
      );
    });
  const v1 = '/flagd.evaluation.v1.Service';
  const v2 = '/flagd.evaluation.v2.Service';

  it('answers both versions', async () => {
    for (const version of [v1, v2]) {
      const answer = await call(`${version}/ResolveBoolean`, requestOf('half', { targetingKey: 'user-1' }));
      expect(String(answer), version).toMatch(/DEFAULT.*(true|false).*flagVersion/s);
      expect(await call(`${version}/ResolveInt`, requestOf('count'))).toBeInstanceOf(Buffer);
      expect(await call(`${version}/ResolveInt`, requestOf('words'))).toBe(status.INVALID_ARGUMENT);
    }
    // In version 1, a response without a value would be false.
    expect(await call(`${v1}/ResolveBoolean`, requestOf('nothing'))).toBe(status.NOT_FOUND);
    expect(await call(`${v2}/ResolveBoolean`, requestOf('nothing'))).toBeInstanceOf(Buffer);
  });

  it('evaluates all flags at once', async () => {
    const context = requestOf('', { targetingKey: 'user-1' }).subarray(2);
    context[0] = 10;
    const answer = String(await call(`${v1}/ResolveAll`, context));
    for (const name of ['half', 'words', 'count', 'shape', 'größe']) expect(answer).toContain(name);
    expect(answer).not.toContain('nothing');
  });

  it('takes the key from the selector, and rejects other credentials', async () => {
    const ask = (headers: Record<string, string>) => call(`${v1}/ResolveString`, requestOf('words'), headers);
    expect(await ask({ 'flagd-selector': key })).toBeInstanceOf(Buffer);
    expect(await ask({ 'x-api-key': key })).toBeInstanceOf(Buffer);
    expect(await ask({})).toBe(status.UNAUTHENTICATED);
    expect(await ask({ 'flagd-selector': 'svc_sdk_wrong' })).toBe(status.UNAUTHENTICATED);
    expect(await ask({ authorization: `Bearer ${await user.token(['flags:read'])}` })).toBe(status.PERMISSION_DENIED);
  });

  it.each([
    ['bytes that are no message', Buffer.from([10, 200, 1, 1]), status.INVALID_ARGUMENT],
    ['a context of a megabyte', requestOf('words', { a: 'x'.repeat(1_000_000) }), status.RESOURCE_EXHAUSTED],
    [
      'a context with too many attributes',
      requestOf('words', Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`a${i}`, 'x']))),
      status.INVALID_ARGUMENT,
    ],
    ['a prototype', requestOf('words', JSON.parse('{"__proto__":"x","constructor":"y"}')), undefined],
  ])('answers %s', async (_name, request, code) => {
    const answer = await call(`${v1}/ResolveString`, request);
    if (code === undefined) expect(answer).toBeInstanceOf(Buffer);
    else expect(answer).toBe(code);
  });

  it('rejects an unknown method', async () => {
    expect(await call(`${v1}/ResolveNothing`, requestOf('words'))).toBe(status.UNIMPLEMENTED);
  });

  it('ends the stream of a revoked key', async () => {
    const own = await user.sdkKey();
    const { data } = await user.get('/api/v1/tokens?kind=sdk&limit=1');
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${own}`);
    const asIs = (bytes: Buffer) => bytes;
    const stream = client.makeServerStreamRequest(`${v1}/EventStream`, asIs, asIs, Buffer.alloc(0), metadata);
    let ended = false;
    stream
      .on('error', () => {})
      .on('end', () => {
        ended = true;
      });
    const [ready] = await new Promise<Buffer[]>((found) => stream.once('data', (bytes: Buffer) => found([bytes])));
    expect(String(ready)).toContain('provider_ready');
    expect((await user.del(`/api/v1/tokens/${data[0].id}?workspace=${user.workspaceId}`)).status).toBe(204);
    await until(async () => ended);
  });
});
