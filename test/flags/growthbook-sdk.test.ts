import { gzipSync } from 'node:zlib';
import { clearCache, configureCache, GrowthBook, setPolyfills } from '@growthbook/growthbook';
import { growthbookTrackingPlugin } from '@growthbook/growthbook/plugins';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { NodeEventSource } from './event-source.ts';
import { openStream } from './sse-client.ts';
import { flagsOf, half } from './support.ts';

const units = Array.from({ length: 40 }, (_, i) => ({
  id: `user-${i}`,
  plan: i % 2 === 0 ? 'pro' : 'free',
  version: i % 3 === 0 ? '1.9.0' : '2.1.0',
}));

/** The published SDK, unchanged but for its address and key, against a running server. */
describe('GrowthBook SDK', () => {
  let server: TestServer;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  let serverKey: string;
  let clientKey: string;
  const open: GrowthBook[] = [];
  const rules = [
    {
      clauses: [
        { attribute: 'plan', op: 'in', values: ['pro'] },
        { attribute: 'version', op: 'semver_gt', values: ['2.0.0'] },
      ],
      variant: 'true',
    },
  ];

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'growthbook');
    flags = flagsOf(user);
    for (const name of ['half', 'plan', 'off']) await flags.create(name);
    await flags.serve('half', { fallthrough: { rollout: { weights: half } } });
    await flags.serve('plan', { rules, fallthrough: { variant: 'false' } });
    serverKey = await user.sdkKey();
    clientKey = await user.sdkKey('production', { kind: 'client', allowed_origins: ['https://shop.example'] });
  });
  afterEach(async () => {
    for (const instance of open.splice(0)) instance.destroy();
    await clearCache();
  });
  afterAll(() => server?.stop());

  const evaluate = (key: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.base}/growthbook/api/eval/${key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
    });

  describe('with remote evaluation', () => {
    async function start(attributes: Record<string, unknown>, key = clientKey) {
      const instance = new GrowthBook({
        ...{ apiHost: `${server.base}/growthbook`, clientKey: key, remoteEval: true, attributes },
        backgroundSync: false,
      });
      open.push(instance);
      const { success } = await instance.init({ timeout: 5_000 });
      expect(success).toBe(true);
      return instance;
    }

    it('serves the values of OFREP', async () => {
      const ofrep = testClient(server.base, { bearer: serverKey });
      for (const { id: targetingKey, ...attributes } of units) {
        const instance = await start({ id: targetingKey, ...attributes });
        for (const flag of ['half', 'plan']) {
          const { json } = await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, {
            context: { targetingKey, ...attributes },
          });
          expect(instance.getFeatureValue<unknown>(flag, null), `${flag} ${targetingKey}`).toBe(json.value);
        }
      }
    });

    it('returns the default of the caller for a percentage without a unit', async () => {
      const instance = await start({ plan: 'pro', version: '2.1.0' });
      expect(instance.getFeatureValue<unknown>('half', 'default')).toBe('default');
      expect(instance.getFeatureValue<unknown>('plan', 'default')).toBe(true);
    });

    it('serves forced features and variations', async () => {
      const { features } = await (
        await evaluate(serverKey, {
          attributes: { id: 'u', plan: 'free' },
          forcedFeatures: [['plan', 'forced']],
          forcedVariations: { half: 1, plan: 0 },
        })
      ).json();
      expect(features.plan.defaultValue).toBe('forced');
      expect(features.half.defaultValue).toBe(false);
    });
  });

  describe('with evaluation in the SDK', () => {
    async function start(attributes: Record<string, unknown>) {
      const instance = new GrowthBook({
        ...{ apiHost: `${server.base}/growthbook`, clientKey: serverKey, attributes },
      });
      open.push(instance);
      const { success } = await instance.init({ timeout: 5_000 });
      expect(success).toBe(true);
      return instance;
    }

    it('serves the values of OFREP, and the default of the caller for a flag that it would evaluate differently', async () => {
      await flags.create('kept');
      const weights = half;
      await flags.serve('kept', { fallthrough: { rollout: { weights, hash: 'growthbook_v2', seed: 'kept' } } });
      await flags.create('simple');
      const clauses = [{ attribute: 'plan', op: 'starts_with', values: ['p'] }];
      await flags.serve('simple', { rules: [{ clauses, variant: 'true' }], fallthrough: { variant: 'false' } });
      const ofrep = testClient(server.base, { bearer: serverKey });
      for (const { id: targetingKey, ...attributes } of units) {
        const instance = await start({ id: targetingKey, ...attributes });
        for (const flag of ['kept', 'simple']) {
          const { json } = await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, {
            context: { targetingKey, ...attributes },
          });
          expect(instance.getFeatureValue<unknown>(flag, null), `${flag} ${targetingKey}`).toBe(json.value);
        }
        expect(instance.getFeatureValue<unknown>('half', 'default')).toBe('default');
      }
    });

    it('does not reveal rules to client keys', async () => {
      const answer = await fetch(`${server.base}/growthbook/api/features/${clientKey}`);
      expect([answer.status, Object.keys(await answer.json())]).toEqual([403, ['status', 'error']]);
    });

    it('answers 304 to who has the current features', async () => {
      const url = `${server.base}/growthbook/api/features/${serverKey}`;
      const first = await fetch(url);
      expect([first.status, first.headers.get('x-sse-support')]).toEqual([200, 'enabled']);
      const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
      expect(again.status).toBe(304);
    });
  });

  describe('with a stream', () => {
    it.each([
      ['evaluation in the SDK', () => ({ clientKey: serverKey, remoteEval: false })],
      ['remote evaluation', () => ({ clientKey, remoteEval: true })],
    ])('receives a change, with %s', async (_name, options) => {
      setPolyfills({ EventSource: NodeEventSource });
      // An instance without it switches it off for all.
      configureCache({ backgroundSync: true });
      const flag = `streamed-${open.length}-${Date.now()}`;
      await flags.create(flag);
      await flags.serve(flag);
      const instance = new GrowthBook({
        ...{ apiHost: `${server.base}/growthbook`, attributes: { id: 'u' } },
        ...options(),
      });
      open.push(instance);
      await instance.init({ timeout: 5_000, streaming: true });
      expect(instance.getFeatureValue<unknown>(flag, null)).toBe(true);
      await flags.serve(flag, { enabled: false, off_variant: 'false' });
      await until(async () => instance.getFeatureValue<unknown>(flag, null) === false);
    });

    it('gets all features in the event if the SDK can evaluate all of them', async () => {
      await user.post(`${user.project}/environments`, { key: 'quiet', name: 'quiet' });
      const other = await user.sdkKey('quiet');
      const stream = await openStream(`${server.base}/growthbook/sub/${other}`);
      const { event, data } = await stream.next();
      stream.close();
      expect([event, Object.keys(JSON.parse(data))]).toEqual(['features', ['status', 'features']]);
    });

    it('gets the features that it can evaluate if it is the SDK for Go, which reads no other event', async () => {
      const open = (agent: string) => openStream(`${server.base}/growthbook/sub/${serverKey}`, { 'user-agent': agent });
      const others = await open('node');
      expect((await others.next()).event).toBe('features-updated');
      others.close();
      // As version 0.7.0 spells it.
      const stream = await open('Growhthbook Go SDK client');
      const { event, data } = await stream.next();
      stream.close();
      expect(event).toBe('features');
      const { features } = JSON.parse(data);
      expect(features).toHaveProperty('off');
      // Its percentage has a hash that SDKs do not have.
      expect(features).not.toHaveProperty('half');
    });

    it('rejects an unknown key', async () => {
      expect((await fetch(`${server.base}/growthbook/sub/svc_sdk_wrong`)).status).toBe(401);
    });
  });

  describe('reported events', () => {
    const track = (key: string, body: string, type = 'text/plain') =>
      fetch(`${server.base}/growthbook/track?client_key=${key}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
    const rows = async (query: string) => {
      const answer = await user.post(`${user.workspace}/query`, {
        ...{ query, environment: 'production' },
        ...{ from: 'now-1h', to: 'now+1h' },
      });
      expect(answer.status, answer.text).toBe(200);
      return answer.data.rows;
    };

    it('count each evaluation once, with the units of measured rollouts', async () => {
      await flags.create('measured');
      const rollout = { weights: half, tracked: true };
      await flags.serve('measured', { fallthrough: { rollout } });
      const ofrep = testClient(server.base, { bearer: serverKey });
      const values = new Map<string, unknown>();
      for (const { id } of units.slice(0, 10)) {
        const instance = new GrowthBook({
          ...{ apiHost: `${server.base}/growthbook`, clientKey, remoteEval: true, attributes: { id } },
          backgroundSync: false,
          plugins: [growthbookTrackingPlugin({ ingestorHost: `${server.base}/growthbook`, queueFlushInterval: 10 })],
        });
        await instance.init({ timeout: 5_000 });
        values.set(id, instance.getFeatureValue<unknown>('measured', null));
        open.push(instance);
      }
      const counted = async () => Number((await rows('flags "measured" | stats count()'))[0]?.[0] ?? 0);
      await until(async () => (await counted()) >= 10);
      expect(await counted()).toBe(10);
      const byUnit = await rows('flags "measured" | fields unit, variant | sort unit');
      const wanted = [...values].map(([id, value]) => [id, String(value)]).toSorted();
      expect(byUnit).toEqual(wanted);
      const { json } = await ofrep.post('/ofrep/v1/evaluate/flags/measured', { context: { targetingKey: 'user-3' } });
      expect(values.get('user-3')).toBe(json.value);
    });

    it.each([
      [
        'no key',
        async () => (await fetch(`${server.base}/growthbook/track`, { method: 'POST', body: '[]' })).status,
        401,
      ],
      ['an unknown key', async () => (await track('svc_sdk_wrong', '[]')).status, 401],
      ['malformed JSON', async () => (await track(clientKey, '[{')).status, 400],
      ['JSON', async () => (await track(clientKey, '[]', 'application/json')).status, 204],
      ['values instead of events', async () => (await track(clientKey, '[1,null,"a",[]]')).status, 204],
      ['unknown events', async () => (await track(clientKey, '[{"event_name":"Purchase"}]')).status, 204],
      [
        'five megabytes',
        async () => (await track(clientKey, JSON.stringify([{ event_name: 'x'.repeat(5_000_000) }]))).status,
        413,
      ],
    ])('are answered for a body with %s', async (_name, send, status) => {
      expect(await send()).toBe(status);
    });

    it('are the only texts that a page can send to other routes', async () => {
      const answer = await evaluate(clientKey, '{}', { 'content-type': 'text/plain' });
      expect(answer.status).toBe(415);
    });
  });

  it('rejects unknown and revoked keys, tokens, and other methods', async () => {
    const token = await user.token(['flags:read']);
    for (const [key, status] of [
      ['svc_sdk_wrong', 401],
      ['nothing', 401],
      [token, 403],
    ] as const) {
      const answer = await evaluate(key, { attributes: {} }, { authorization: `Bearer ${serverKey}` });
      expect([answer.status, (await answer.json()).status]).toEqual([status, status]);
    }
    expect((await fetch(`${server.base}/growthbook/api/eval/${serverKey}`)).status).toBe(405);
  });

  it.each([
    ['no object', '[]', 422],
    ['malformed JSON', '{"attributes":', 400],
    ['attributes that are no object', '{"attributes":7}', 422],
    ['a megabyte', JSON.stringify({ attributes: { id: 'x'.repeat(1_000_000) } }), 413],
    ['an array for a unit', '{"attributes":{"id":["a"]}}', 200],
    ['a prototype', '{"attributes":{"__proto__":{"plan":"pro"},"id":"u"}}', 200],
    ['a gzip bomb', gzipSync(Buffer.alloc(50_000_000)), 413],
  ])('answers a body with %s', async (_name, body, status) => {
    const headers: Record<string, string> = Buffer.isBuffer(body) ? { 'content-encoding': 'gzip' } : {};
    const answer = await evaluate(clientKey, body, headers);
    expect(answer.status, await answer.text()).toBe(status);
  });

  it('lets only pages of the origins of the key read the answer', async () => {
    const allowed = async (origin: string) =>
      (await evaluate(clientKey, { attributes: {} }, { origin })).headers.get('access-control-allow-origin');
    expect(await allowed('https://shop.example')).toBe('https://shop.example');
    expect(await allowed('https://other.example')).toBe(null);
    const preflight = await fetch(`${server.base}/growthbook/api/eval/${clientKey}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);
  });
});
