import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { otherThan, type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type SharedStores, startSharedStores } from '../support/shared-stores.ts';
import { openStream } from './sse-client.ts';
import { flagsOf } from './support.ts';

/** Evaluation needs neither store: a server on PostgreSQL and ClickHouse's protocol, both of which are then stopped. */
describe('with both stores stopped', () => {
  let stores: SharedStores;
  let server: ServerProcess;
  let user: SignedUp;
  let key: string;

  beforeAll(async () => {
    stores = await startSharedStores();
    server = await serveProcess(join(stores.directory, 'server'), await freePort(), stores.env);
    user = await signUp(server.base);
  });
  afterAll(async () => {
    await server?.end('SIGKILL');
    await stores?.stop();
  });

  it('answers every evaluation route, keeps streams open, and reports other routes as unavailable', async () => {
    const flags = flagsOf(user);
    await flags.create('steady');
    await flags.serve('steady');
    key = await user.sdkKey();
    const sdk = testClient(server.base, { bearer: key });
    const context = { context: { targetingKey: 'u' } };
    const answers = async () => [
      (await sdk.post('/ofrep/v1/evaluate/flags/steady', context)).json.value,
      (await sdk.post('/ofrep/v1/evaluate/flags', context)).json.flags[0].value,
      (await sdk.post('/api/v1/sdk/flags/evaluate/steady', context)).data.value,
      (await sdk.post('/api/v1/sdk/flags/evaluate', context)).data.flags.steady.value,
      (await sdk.get('/api/v1/sdk/flags/ruleset')).data.flags.steady.enabled,
    ];
    expect(await answers()).toEqual([true, true, true, true, true]);
    const events = await openStream(`${server.base}/api/v1/sdk/flags/stream`, { authorization: `Bearer ${key}` });
    await events.next('put');
    let ended = false;
    void events.ended.then(() => {
      ended = true;
    });
    // A change of keys clears the cache; the outage begins at that moment.
    await user.sdkKey();

    await stores.stopPostgres();
    stores.telemetry.child.kill('SIGSTOP');
    expect((await user.get(`${user.project}/flags`)).status).toBe(503);
    await until(async () => {
      const { status, text } = await testClient(server.base).get('/readyz');
      return status === 200 && text.includes('degraded');
    });
    for (let round = 0; round < 3; round++) expect(await answers()).toEqual([true, true, true, true, true]);
    const later = await openStream(`${server.base}/api/v1/sdk/flags/stream`, { authorization: `Bearer ${key}` });
    expect(JSON.parse((await later.next('put')).data).flags.steady.enabled).toBe(true);
    expect(ended).toBe(false);
    later.close();
    events.close();
  });

  it('serves the last rulesets after a start without PostgreSQL, and reports it', async () => {
    stores.telemetry.child.kill('SIGCONT');
    // A key that was used, and a ruleset, are written a second later; a kill before that would take them along.
    const directory = join(stores.directory, 'server', 'rulesets');
    const isWritten = async (text: string, isOf: (name: string) => boolean) => {
      const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.json') && isOf(name));
      const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
      return texts.some((found) => found.includes(text));
    };
    await until(() => isWritten('"', (name) => name === 'sdk-keys.json'));
    await until(() => isWritten('"steady"', (name) => name !== 'sdk-keys.json'));
    await server.end('SIGKILL');
    server = await serveProcess(join(stores.directory, 'server'), await freePort(), stores.env);
    const sdk = testClient(server.base, { bearer: key });
    const answer = await sdk.post('/ofrep/v1/evaluate/flags/steady', { context: { targetingKey: 'u' } });
    expect(answer.json).toMatchObject({ value: true });
    await until(async () => (await testClient(server.base).get('/readyz')).text.includes('from disk'));
    expect((await testClient(server.base, { bearer: otherThan(key) }).get('/api/v1/sdk/flags/ruleset')).status).toBe(
      401,
    );
  });
});
