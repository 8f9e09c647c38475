import { clearCache, configureCache, GrowthBook, setPolyfills } from '@growthbook/growthbook';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { NodeEventSource } from './event-source.ts';
import { openStream } from './sse-client.ts';
import { flagsOf } from './support.ts';

const units = Array.from({ length: 10 }, (_, i) => ({ id: `user-${i}`, plan: i % 2 === 0 ? 'pro' : 'free' }));

/** The published SDK with a `decryptionKey`, against a running server. */
describe('GrowthBook SDK with a key that encrypts', () => {
  let server: TestServer;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  let key: string;
  let decryptionKey: string;
  const open: GrowthBook[] = [];

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'growthbook-encryption');
    flags = flagsOf(user);
    const body = { environment: 'production', growthbook_encryption: true };
    const { data } = await user.post(`${user.project}/flag-keys`, body);
    [key, decryptionKey] = [data.key, data.growthbook_decryption_key];
  });
  afterEach(async () => {
    for (const instance of open.splice(0)) instance.destroy();
    await clearCache();
  });
  afterAll(() => server?.stop());

  async function start(attributes: Record<string, unknown>, secret = decryptionKey) {
    const instance = new GrowthBook({
      ...{ apiHost: `${server.base}/growthbook`, clientKey: key, decryptionKey: secret, attributes },
    });
    open.push(instance);
    await instance.init({ timeout: 5_000 });
    return instance;
  }

  it('serves the values of OFREP to an SDK with the decryption key', async () => {
    await flags.create('sealed');
    const clauses = [{ attribute: 'plan', op: 'in', values: ['pro', 'größe'] }];
    await flags.serve('sealed', { rules: [{ clauses, variant: 'true' }], fallthrough: { variant: 'false' } });
    const ofrep = testClient(server.base, { bearer: key });
    for (const { id: targetingKey, ...attributes } of units) {
      const instance = await start({ id: targetingKey, ...attributes });
      const { json } = await ofrep.post('/ofrep/v1/evaluate/flags/sealed', {
        context: { targetingKey, ...attributes },
      });
      expect(instance.getFeatureValue<unknown>('sealed', null), targetingKey).toBe(json.value);
    }
  });

  it('shows nothing without it', async () => {
    const url = `${server.base}/growthbook/api/features/${key}`;
    const { features, encryptedFeatures, ...others } = await (await fetch(url)).json();
    expect(features).toEqual({});
    expect(encryptedFeatures).toMatch(/^[\w+/]{22}==\.[\w+/]+={0,2}$/);
    expect(others).toEqual({ status: 200 });
    // The same bytes until the flags change, as the tag says.
    expect((await (await fetch(url)).json()).encryptedFeatures).toBe(encryptedFeatures);
    await clearCache();
    const instance = await start({ id: 'u' }, Buffer.alloc(16).toString('base64'));
    expect(instance.getFeatureValue<unknown>('sealed', 'default')).toBe('default');
  });

  it('reads rules in no other form', async () => {
    const own = { authorization: key };
    for (const [path, headers] of [
      ['/api/v1/sdk/flags/ruleset', { authorization: `Bearer ${key}` }],
      ['/sdk/latest-all', own],
      ['/sdk/poll', own],
      ['/all', own],
      ['/unleash/api/client/features', own],
    ] as const)
      expect((await fetch(`${server.base}${path}`, { headers })).status, path).toBe(403);
  });

  it('streams encrypted features', async () => {
    await user.post(`${user.project}/environments`, { key: 'sealed', name: 'sealed' });
    const body = { environment: 'sealed', growthbook_encryption: true };
    const { data } = await user.post(`${user.project}/flag-keys`, body);
    setPolyfills({ EventSource: NodeEventSource });
    configureCache({ backgroundSync: true });
    const stream = await openStream(`${server.base}/growthbook/sub/${data.key}`);
    const first = await stream.next();
    stream.close();
    expect([first.event, Object.keys(JSON.parse(first.data))]).toEqual([
      'features',
      ['status', 'features', 'encryptedFeatures'],
    ]);
    const instance = new GrowthBook({
      ...{ apiHost: `${server.base}/growthbook`, clientKey: data.key },
      ...{ decryptionKey: data.growthbook_decryption_key, attributes: { id: 'u' } },
    });
    open.push(instance);
    await instance.init({ timeout: 5_000, streaming: true });
    await flags.serve('sealed', { fallthrough: { variant: 'true' } }, 'sealed');
    await until(async () => instance.getFeatureValue<unknown>('sealed', null) === true);
  });

  it('is a server key', async () => {
    const body = { environment: 'production', kind: 'client', growthbook_encryption: true };
    const answer = await user.post(`${user.project}/flag-keys`, body);
    expect([answer.status, answer.json.error.details[0].path]).toEqual([422, 'growthbook_encryption']);
  });
});
