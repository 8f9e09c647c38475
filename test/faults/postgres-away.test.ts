import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { logsRequest, nanos } from '../../packages/telemetry/src/testing/otlp.ts';
import { flagsOf } from '../flags/support.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type SharedStores, startSharedStores } from '../support/shared-stores.ts';

/** `OUTAGE_SECONDS=60` for the figures of docs/guides/reliability.md. */
const seconds = Number(process.env.OUTAGE_SECONDS ?? 5);

describe('PostgreSQL is killed', () => {
  let stores: SharedStores;
  let server: ServerProcess;
  let user: SignedUp;

  beforeAll(async () => {
    stores = await startSharedStores();
    server = await serveProcess(`${stores.directory}/server`, await freePort(), stores.env);
    user = await signUp(server.base);
  });
  afterAll(async () => {
    await server?.end('SIGKILL');
    await stores?.stop();
  });

  it('known sessions and tokens read telemetry, with a warning; flags and ingest go on; nobody else and no change gets in', async () => {
    const by = {
      session: user,
      reader: testClient(server.base, { bearer: await user.token(['telemetry:query']) }),
      sender: testClient(server.base, { bearer: await user.token(['telemetry:ingest']) }),
      sdk: testClient(server.base, { bearer: await user.sdkKey() }),
    };
    const unseen = testClient(server.base, { bearer: await user.token(['telemetry:query']) });
    await flagsOf(user).create('steady');
    await flagsOf(user).serve('steady');
    const body = (text: string) => logsRequest([{ timeUnixNano: nanos(Date.now()), body: { stringValue: text } }]);
    const send = async (text: string) => (await by.sender.post('/v1/logs', body(text))).status;
    const evaluate = async () =>
      (await by.sdk.post('/ofrep/v1/evaluate/flags/steady', { context: { targetingKey: 'u' } })).status;
    const count = (as: Pick<SignedUp, 'post'>) =>
      as.post(`${user.workspace}/query`, { query: 'logs | stats n=count()', from: 'now-1h', to: 'now+1h' });
    expect([await send('before'), await evaluate()]).toEqual([200, 200]);
    for (const as of [by.session, by.reader]) {
      await until(async () => (await count(as)).data?.rows?.[0]?.[0] === 1);
      expect((await count(as)).json.meta.warnings).toEqual([]);
    }

    await stores.stopPostgres();
    const end = Date.now() + seconds * 1_000;
    let asked = 0;
    expect(await send('during')).toBe(200);
    while (Date.now() < end) {
      expect([await send(`during ${asked++}`), await evaluate()]).toEqual([200, 200]);
      for (const as of [by.session, by.reader]) {
        const answer = await count(as);
        expect(answer.status, answer.text).toBe(200);
        // Facts are known for two seconds without a look-up.
        if (Date.now() > end - (seconds - 4) * 1_000)
          expect(answer.json.meta.warnings).toEqual([expect.stringMatching(/control plane cannot be reached/)]);
      }
    }
    await until(async () => (await count(by.reader)).data?.rows?.[0]?.[0] >= asked);
    expect((await count(unseen)).status).toBe(503);
    expect((await user.post(`${user.workspace}/dashboards`, { name: 'no', panels: [] })).status).toBe(503);
    expect((await user.get(`${user.workspace}/traces/00000000000000000000000000000001`)).status).toBe(404);
    console.log(`PostgreSQL away for ${seconds} s: ${asked} rounds of OTLP, OFREP and OQL, failed 0`);
  });
});
