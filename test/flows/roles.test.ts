import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type SharedStores, startSharedStores } from '../support/shared-stores.ts';

const roles = ['api', 'ingest', 'flags', 'jobs'] as const;
type Role = (typeof roles)[number];

/** One server for each role, on the same stores: together they are one product. */
describe('a server for each role', () => {
  let stores: SharedStores;
  let servers: Record<Role, ServerProcess>;
  let user: SignedUp;

  beforeAll(async () => {
    stores = await startSharedStores();
    const started = roles.map(async (role) => {
      const env = { ...stores.env, FANION_ROLE: role };
      return [role, await serveProcess(join(stores.directory, role), await freePort(), env)] as const;
    });
    servers = Object.fromEntries(await Promise.all(started)) as Record<Role, ServerProcess>;
    user = await signUp(servers.api.base);
  });
  afterAll(async () => {
    await Promise.all(Object.values(servers ?? {}).map((server) => server.end('SIGTERM')));
    await stores?.stop();
  });

  it.each([
    ['GET', '/api/v1/auth/me', { api: 401, ingest: 404, flags: 404, jobs: 404 }],
    ['GET', '/', { api: 200, ingest: 404, flags: 404, jobs: 404 }],
    ['POST', '/v1/traces', { api: 404, ingest: 415, flags: 404, jobs: 404 }],
    ['POST', '/ofrep/v1/evaluate/flags', { api: 404, ingest: 404, flags: 401, jobs: 404 }],
    ['GET', '/api/v1/sdk/flags/ruleset', { api: 404, ingest: 404, flags: 401, jobs: 404 }],
    ['GET', '/readyz', { api: 200, ingest: 200, flags: 200, jobs: 200 }],
  ])('%s %s is answered where its role runs', async (method, path, expected) => {
    const statuses = roles.map(async (role) => {
      const response = await fetch(servers[role].base + path, { method });
      await response.body?.cancel();
      return [role, response.status] as const;
    });
    expect(Object.fromEntries(await Promise.all(statuses))).toEqual(expected);
  });

  it('data that one accepts is queried on another', async () => {
    const ingest = testClient(servers.ingest.base, { bearer: await user.token(['telemetry:ingest']) });
    const now = BigInt(Date.now()) * 1_000_000n;
    const record = { timeUnixNano: String(now), body: { stringValue: 'taken by another' } };
    const sent = await ingest.post('/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    expect(sent.status, sent.text).toBe(200);
    await until(async () => {
      const answer = await user.post(`${user.workspace}/query`, { query: 'logs | stats n=count()', to: 'now+5m' });
      return answer.data?.rows?.[0]?.[0] === 1;
    });
  });

  it('a flag that is saved on one is evaluated on another', async () => {
    const made = await user.post(`${user.project}/flags`, { key: 'split', name: 'Split', kind: 'boolean' });
    expect(made.status, made.text).toBe(201);
    const sdk = testClient(servers.flags.base, { bearer: await user.sdkKey() });
    await until(async () => {
      const { json } = await sdk.post('/ofrep/v1/evaluate/flags/split', { context: { targetingKey: 'u' } });
      return json.reason === 'DISABLED';
    });
  });

  it('a deferred change is applied by the one that runs jobs', async () => {
    const path = `${user.project}/environments/production/flags/split`;
    const patch = { enabled: true, fallthrough: { variant: 'true' } };
    const deferred = await user.post(`${path}/changes`, { patch, apply_at: 'now+1s', comment: 'launch' });
    expect(deferred.status, deferred.text).toBe(201);
    await until(async () => (await user.get(path)).data.enabled === true);
  });
});
