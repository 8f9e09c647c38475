import { gzipSync } from 'node:zlib';
import { clearCache, GrowthBook } from '@growthbook/growthbook';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
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
    ['a gzip bomb', gzipSync(Buffer.alloc(50_000_000)), 400],
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
