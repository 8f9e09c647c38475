import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type SignedUp,
  signUp,
  type TestClient,
  testClient,
  until,
} from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type SharedStores, startSharedStores } from '../support/shared-stores.ts';

/** 100 for the long run. */
const rounds = Number(process.env.ROUNDS ?? 4);
/** Ramps per round: each has its own job, and either server may hold its lease when it is paused. */
const rampsPerRound = 4;

/** Two servers on one PostgreSQL, one of which is paused at any point and continues later. */
describe('a replica that is paused around a step of a ramp', () => {
  let stores: SharedStores;
  let servers: readonly ServerProcess[];
  let user: SignedUp;
  let sdk: readonly TestClient[];

  beforeAll(async () => {
    stores = await startSharedStores();
    const start = async (name: string) => serveProcess(join(stores.directory, name), await freePort(), stores.env);
    servers = [await start('one'), await start('two')];
    user = await signUp(servers[0]?.base ?? '');
    const key = await user.sdkKey();
    sdk = servers.map(({ base }) => testClient(base, { bearer: key }));
  });
  afterAll(async () => {
    for (const { child } of servers ?? []) child.kill('SIGCONT');
    await Promise.all((servers ?? []).map((server) => server.end('SIGTERM')));
    await stores?.stop();
  });

  const path = (key: string) => `${user.project}/environments/production/flags/${key}`;
  const served = async (client: TestClient | undefined, key: string) =>
    (await client?.post(`/api/v1/sdk/flags/evaluate/${key}`, { context: { targetingKey: 'u' } }))?.data;

  /** Starts a ramp of three steps. Returns the version of the flag after the start. */
  async function newRamp(key: string): Promise<number> {
    expect((await user.post(`${user.project}/flags`, { key, name: key, kind: 'boolean' })).status).toBe(201);
    const targeting = {
      enabled: true,
      off_variant: 'false',
      fallthrough: { variant: 'false' },
      targets: [],
      rules: [],
      version: (await user.get(path(key))).data.version,
    };
    const put = await user.put(path(key), targeting);
    expect(put.status, put.text).toBe(200);
    const hold = '1s';
    const steps = [20_000, 50_000, 100_000].map((weight) => ({ weight, hold }));
    const started = await user.post(`${path(key)}/ramp`, { variant: 'true', steps });
    expect(started.status, started.text).toBe(201);
    // Computed, since the second step may run before the response.
    return put.data.flag_version + 1;
  }

  /** How often each ramp action was recorded for a flag. */
  async function done(client: TestClient, key: string): Promise<Record<string, number>> {
    const { data } = await client.get(`/api/v1/audit?workspace=${user.workspaceId}&limit=500`);
    const counts: Record<string, number> = {};
    for (const { action, resource } of data)
      if (resource.name === key && action.startsWith('ramps.')) counts[action] = (counts[action] ?? 0) + 1;
    return counts;
  }

  it(`takes each step once and loses none, ${rounds} rounds`, { timeout: rounds * 60_000 }, async () => {
    for (let round = 0; round < rounds; round++) {
      const keys = Array.from({ length: rampsPerRound }, (_, i) => `round-${round}-${i}`);
      const versions = await Promise.all(keys.map(newRamp));
      const paused = servers[round % 2];
      const awake = testClient(servers[1 - (round % 2)]?.base ?? '', { cookie: user.cookie });
      // At a different moment each time, so that the pause falls before, during and after its commit.
      await new Promise((resolve) => setTimeout(resolve, 400 + ((round * 137) % 1_200)));
      paused?.child.kill('SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      paused?.child.kill('SIGCONT');
      for (const [i, key] of keys.entries()) {
        await until(async () => (await awake.get(`${path(key)}/ramp`)).data.status === 'completed', 90_000);
        expect(await done(awake, key), `round ${round}`).toEqual({
          'ramps.start': 1,
          'ramps.step': 2,
          'ramps.complete': 1,
        });
        // Two steps and the end, one version each; both servers serve the last.
        const last = (versions[i] ?? 0) + 3;
        for (const client of sdk)
          await until(async () => {
            const { flag_version, value, reason } = await served(client, key);
            return flag_version === last && value === true && reason === 'FALLTHROUGH';
          });
      }
    }
  });

  it('serves a change of the other replica on its notification', async () => {
    const key = 'quick';
    await user.post(`${user.project}/flags`, { key, name: key, kind: 'boolean' });
    await served(sdk[1], key);
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const { version, off_variant } = (await user.get(path(key))).data;
      const variant = i % 2 === 0 ? 'true' : 'false';
      const body = { enabled: true, off_variant, fallthrough: { variant }, targets: [], rules: [], version };
      expect((await user.put(path(key), body)).status).toBe(200);
      const answered = performance.now();
      await until(async () => (await served(sdk[1], key)).variant === variant);
      times.push(performance.now() - answered);
    }
    const median = times.sort((a, b) => a - b)[2] ?? 0;
    console.info(`a change on one server, served by the other: ${median.toFixed(0)} ms after its answer (median of 5)`);
  });
});
