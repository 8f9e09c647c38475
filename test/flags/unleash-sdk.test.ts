import { type Context, InMemStorageProvider, Unleash } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf, half } from './support.ts';

const users = Array.from({ length: 100 }, (_, i) => ({
  targetingKey: `user-${i}`,
  plan: i % 2 === 0 ? 'pro' : 'free',
  version: i % 3 === 0 ? '1.9.0' : '2.1.0',
}));
const contextOf = ({ targetingKey, ...properties }: (typeof users)[number]): Context => ({
  userId: targetingKey,
  properties,
});

/** The published SDK, unchanged but for its URL and key, against a running server. */
describe('Unleash SDK for Node', () => {
  let server: TestServer;
  let user: SignedUp;
  let flags: ReturnType<typeof flagsOf>;
  let key: string;
  let client: Unleash;
  const clients: Unleash[] = [];

  async function started(more: object = {}): Promise<Unleash> {
    const made = new Unleash({
      url: `${server.base}/unleash/api`,
      appName: 'shop',
      customHeaders: { authorization: key },
      refreshInterval: 100,
      metricsInterval: 0,
      storageProvider: new InMemStorageProvider(),
      skipInstanceCountWarning: true,
      ...more,
    });
    clients.push(made);
    await new Promise((resolve, reject) => made.once('synchronized', resolve).once('error', reject));
    return made;
  }
  const status = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    (await fetch(`${server.base}/unleash/api/client${path}`, { method, headers: { authorization: key, ...headers } }))
      .status;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'unleash');
    flags = flagsOf(user);
    key = await user.sdkKey();
    for (const name of ['native', 'part', 'plan']) await flags.create(name);
    await flags.serve('native', { fallthrough: { rollout: { weights: half } } });
    const clauses = [
      { attribute: 'plan', op: 'in', values: ['pro'] },
      { attribute: 'version', op: 'semver_gt', values: ['2.0.0'] },
    ];
    await flags.serve('plan', { rules: [{ clauses, variant: 'true' }], fallthrough: { variant: 'false' } });
    const shares = [{ hash: 'unleash', seed: 'part', ranges: [[0, 30_000]] }];
    await flags.serve('part', { rules: [{ clauses: [], shares, variant: 'true' }], fallthrough: { variant: 'false' } });
    const variants = ['blue', 'grey', 'disabled'].map((name) => ({ key: name, value: `#${name}` }));
    await flags.create('colour', { kind: 'string', variants, default_variant: 'blue', off_variant: 'disabled' });
    const rollout = { hash: 'unleash_variants', fallback_bucket_by: ['sessionId'] };
    const weights = [
      { variant: 'blue', weight: 33_300 },
      { variant: 'grey', weight: 66_700 },
    ];
    await flags.serve('colour', { fallthrough: { rollout: { ...rollout, weights } } });
    client = await started();
  });
  afterAll(async () => {
    for (const each of clients) each.destroy();
    await server?.stop();
  });

  it('evaluates as OFREP does: rules, percentages and variants', async () => {
    const ofrep = testClient(server.base, { bearer: key });
    const seen = new Set<unknown>();
    for (const context of users) {
      const ours = async (flag: string) => (await ofrep.post(`/ofrep/v1/evaluate/flags/${flag}`, { context })).json;
      for (const flag of ['part', 'plan']) {
        const { value } = await ours(flag);
        expect(client.isEnabled(flag, contextOf(context)), `${flag} ${context.targetingKey}`).toBe(value);
        seen.add(`${flag} ${value}`);
      }
      const { variant, value } = await ours('colour');
      expect(client.getVariant('colour', contextOf(context))).toMatchObject({
        name: variant,
        payload: { type: 'string', value },
      });
      seen.add(variant);
    }
    expect(seen.size).toBe(6);
  });

  it('does not serve a flag that the SDK would evaluate differently', async () => {
    expect(client.isEnabled('native', { userId: 'user-1' }, true)).toBe(true);
    expect(client.isEnabled('native', { userId: 'user-1' }, false)).toBe(false);
    expect(await status('/features/native')).toBe(404);
    expect(await status('/features/plan')).toBe(200);
  });

  it('receives a change at its next request', async () => {
    const pro = { userId: 'u', properties: { plan: 'pro', version: '2.1.0' } };
    expect(client.isEnabled('plan', pro)).toBe(true);
    await flags.serve('plan', { enabled: false, off_variant: 'false' });
    await until(async () => !client.isEnabled('plan', pro));
  });

  it.each([
    ['a stream', { type: 'streaming' }],
    ['deltas', { type: 'polling', format: 'delta' }],
  ])('receives changes through %s', async (_, experimentalMode) => {
    const streaming = await started({ experimentalMode });
    const pro = { userId: 'u', properties: { plan: 'pro', version: '2.1.0' } };
    expect(streaming.isEnabled('plan', pro)).toBe(false);
    await flags.serve('plan', { enabled: true });
    await until(async () => streaming.isEnabled('plan', pro));
    await flags.serve('plan', { enabled: false });
    await until(async () => !streaming.isEnabled('plan', pro));
  });

  it('answers 304 while nothing has changed', async () => {
    const answer = await fetch(`${server.base}/unleash/api/client/features`, { headers: { authorization: key } });
    const tag = answer.headers.get('etag') ?? '';
    expect(await answer.json()).toMatchObject({ version: 2, segments: [] });
    expect(await status('/features', { 'if-none-match': tag })).toBe(304);
    await flags.serve('plan', { enabled: true });
    await until(async () => (await status('/features', { 'if-none-match': tag })) === 200);
  });

  it('accepts registrations and refuses bad requests', async () => {
    const register = (body: string) =>
      fetch(`${server.base}/unleash/api/client/register`, {
        method: 'POST',
        headers: { authorization: key, 'content-type': 'application/json', 'unleash-interval': 'undefined' },
        body,
      });
    expect((await register('{"appName":"shop","yggdrasilVersion":null,"unknown":{}}')).status).toBe(202);
    expect((await register('{"appName"')).status).toBe(400);
    expect((await register(JSON.stringify('x'.repeat(5_000_000)))).status).toBe(413);
    expect(await status('/features', {}, 'PUT')).toBe(405);
    expect(await status('/features', { authorization: 'svc_sdk_wrong' })).toBe(401);
    expect(await status('/features', { authorization: 'default:production.0123456789abcdef' })).toBe(401);
    const ofClients = await user.sdkKey('production', { kind: 'client' });
    expect(await status('/features', { authorization: ofClients })).toBe(403);
    for (const path of ['/features/plan', '/delta', '/streaming'])
      expect(await status(path, { authorization: ofClients }), path).toBe(403);
  });
});
