import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type SharedStores, startSharedStores } from '../support/shared-stores.ts';

/** Two servers on one PostgreSQL and one `fanion stores --clickhouse`, as several processes of one machine. */
describe('two servers on PostgreSQL', () => {
  let stores: SharedStores;
  let one: ServerProcess;
  let two: ServerProcess;
  let user: SignedUp;

  beforeAll(async () => {
    stores = await startSharedStores();
    one = await serveProcess(join(stores.directory, 'one'), await freePort(), stores.env);
    two = await serveProcess(join(stores.directory, 'two'), await freePort(), stores.env);
    user = await signUp(one.base);
  });
  afterAll(async () => {
    await Promise.all([one?.end('SIGTERM'), two?.end('SIGTERM')]);
    await stores?.stop();
  });

  it('share accounts and sessions', async () => {
    const onTwo = testClient(two.base, { cookie: user.cookie });
    expect((await onTwo.get('/api/v1/auth/me')).data.user.email).toBe(user.email);
    expect((await onTwo.post(`${user.workspace}/projects`, { name: 'Second' })).status).toBe(201);
    expect((await user.get(`${user.workspace}/projects`)).data.map(({ key }: { key: string }) => key)).toEqual([
      'default',
      'second',
    ]);
  });

  it('accept telemetry on either and answer on both', async () => {
    const token = await user.token(['telemetry:ingest']);
    for (const [index, server] of [one, two].entries()) {
      const now = BigInt(Date.now()) * 1_000_000n;
      const span = {
        traceId: `${index}`.repeat(32).replace(/0/g, 'a'),
        spanId: 'b'.repeat(16),
        name: `from ${index}`,
        kind: 2,
        startTimeUnixNano: String(now - 1_000_000n),
        endTimeUnixNano: String(now),
      };
      const body = {
        resourceSpans: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'pair' } }] },
            scopeSpans: [{ spans: [span] }],
          },
        ],
      };
      expect((await testClient(server.base, { bearer: token }).post('/v1/traces', body)).status).toBe(200);
    }
    for (const server of [one, two]) {
      const client = testClient(server.base, { cookie: user.cookie });
      await until(
        async () =>
          (await client.post(`${user.workspace}/query`, { query: 'spans | stats n=count()', to: 'now+5m' })).data
            ?.rows?.[0]?.[0] === 2,
      );
    }
  });

  it('serve a flag that was changed on the other', async () => {
    await user.post(`${user.project}/flags`, { key: 'shared', name: 'Shared', kind: 'boolean' });
    const sdk = testClient(two.base, { bearer: await user.sdkKey() });
    const value = async () =>
      (await sdk.post('/ofrep/v1/evaluate/flags/shared', { context: { targetingKey: 'u' } })).json;
    expect(await value()).toMatchObject({ value: false, reason: 'DISABLED' });
    const path = `${user.project}/environments/production/flags/shared`;
    const { data } = await user.get(path);
    const saved = await user.put(path, {
      enabled: true,
      off_variant: 'false',
      fallthrough: { variant: 'true' },
      targets: [],
      rules: [],
      version: data.version,
    });
    expect(saved.status, saved.text).toBe(200);
    await until(async () => (await value()).value === true);
  });

  it('end a key on the other when it is revoked', async () => {
    const key = await user.sdkKey();
    const sdk = testClient(two.base, { bearer: key });
    expect((await sdk.post('/ofrep/v1/evaluate/flags', {})).status).toBe(200);
    const { data } = await user.get('/api/v1/tokens?kind=sdk');
    for (const { id } of data) expect((await user.del(`/api/v1/tokens/${id}`)).status).toBe(204);
    await until(async () => (await sdk.post('/ofrep/v1/evaluate/flags', {})).status === 401);
  });

  it('reject a third with its own telemetry store', async () => {
    const { CLICKHOUSE_URL: _, ...without } = stores.env;
    const started = serveProcess(join(stores.directory, 'three'), await freePort(), without);
    await expect(started).rejects.toThrow(/CLICKHOUSE_URL/);
  });
});
