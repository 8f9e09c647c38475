import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenFeature, ProviderEvents, ProviderStatus } from '@openfeature/server-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FanionProvider, type FanionProviderOptions } from '../../packages/sdk/src/index.ts';
import { otherThan, type SignedUp, signUp, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

/** The SDK for Node against the composed server. */
describe('the SDK for Node', () => {
  let dataDir: string;
  let server: TestServer;
  let user: SignedUp;
  let sdkKey: string;
  const client = OpenFeature.getClient();

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fanion-sdk-flow-'));
    server = await startTestServer({ dataDir: join(dataDir, 'server') });
    user = await signUp(server.base, 'sdk');
    sdkKey = await user.sdkKey();
  });
  afterEach(() => OpenFeature.clearProviders());
  afterAll(async () => {
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function start(options: Partial<FanionProviderOptions> = {}) {
    const provider = new FanionProvider({ endpoint: server.base, sdkKey, staleAfterMs: 50, ...options });
    const changes: (readonly string[])[] = [];
    let look = () => {};
    provider.events.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
      changes.push((details as { flagsChanged: string[] }).flagsChanged);
      look();
    });
    await OpenFeature.setProviderAndWait(provider);
    /** Resolves when a change of this flag has arrived. */
    const changed = (flag: string) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (changes.flat().includes(flag)) resolve();
        };
        look();
      });
    return { provider, changed };
  }

  const create = async (key: string) => {
    const answer = await user.post(`${user.project}/flags`, { key, name: key, kind: 'boolean' });
    expect(answer.status, answer.text).toBe(201);
  };
  const serve = async (key: string, change: object) => {
    const path = `${user.project}/environments/production/flags/${key}`;
    const { off_variant, version } = (await user.get(path)).data;
    const body = { enabled: true, off_variant, fallthrough: { variant: 'true' }, targets: [], rules: [], version };
    const answer = await user.put(path, { ...body, ...change });
    expect(answer.status, answer.text).toBe(200);
  };

  it('serves a change made after its start, including segments and prerequisites', async () => {
    await create('checkout');
    const { changed } = await start();
    expect(await client.getBooleanDetails('checkout', true)).toMatchObject({ value: false, reason: 'DISABLED' });

    const segment = { key: 'staff', name: 'Staff', included: ['ada'], rules: [] };
    expect((await user.post(`${user.project}/segments`, segment)).status).toBe(201);
    const rules = [{ clauses: [{ op: 'in_segment', values: ['staff'] }], variant: 'true' }];
    await serve('checkout', { rules, fallthrough: { variant: 'false' } });
    await changed('checkout');
    expect(await client.getBooleanDetails('checkout', false, { targetingKey: 'ada' })).toMatchObject({
      value: true,
      reason: 'TARGETING_MATCH',
      flagMetadata: { flagSetId: 'default/production', ruleId: expect.any(String) },
    });
    expect(await client.getBooleanValue('checkout', true, { targetingKey: 'bob' })).toBe(false);
  });

  it('returns the same answers as the server for the units of a split', async () => {
    await create('split');
    const weights = [
      { variant: 'true', weight: 30_000 },
      { variant: 'false', weight: 70_000 },
    ];
    await serve('split', { fallthrough: { rollout: { weights } } });
    await start();
    const remote = testClient(server.base, { bearer: sdkKey });
    const units = Array.from({ length: 100 }, (_, i) => `unit-${i}`);
    for (const targetingKey of units) {
      const there = await remote.post('/ofrep/v1/evaluate/flags/split', { context: { targetingKey } });
      const here = await client.getBooleanDetails('split', false, { targetingKey });
      const { value, variant, reason, flagMetadata } = here;
      expect({ key: 'split', value, variant, reason, metadata: flagMetadata }).toEqual(there.json);
    }
  });

  it('is rejected with a client key, which cannot read rules, and with an unknown key', async () => {
    const clientKey = await user.sdkKey('production', { kind: 'client' });
    for (const [key, why] of [
      [clientKey, /403.*client key/],
      [otherThan(sdkKey), /401/],
    ] as const) {
      await expect(start({ sdkKey: key })).rejects.toThrow(why);
      expect(client.providerStatus).toBe(ProviderStatus.FATAL);
    }
  });

  it('starts from disk while the server is down', async () => {
    await create('kept');
    const cacheDirectory = join(dataDir, 'cache');
    const { changed } = await start({ cacheDirectory });
    await serve('kept', {});
    await changed('kept');
    expect(await client.getBooleanValue('kept', false)).toBe(true);
    await OpenFeature.clearProviders();
    await server.stop();

    const endpoint = server.base;
    await start({ cacheDirectory, endpoint });
    expect(await client.getBooleanValue('kept', false)).toBe(true);
  });
});
