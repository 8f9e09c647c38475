import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, stored, testClient } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { logsRequest, nanos } from '../../packages/telemetry/src/testing/otlp.ts';
import { runProcess } from '../support/server-process.ts';

describe('fanion erase', () => {
  let server: TestServer;
  let user: SignedUp;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'erase');
    env = { FANION_ENDPOINT: server.base, FANION_TOKEN: await user.token(['projects:write', 'workspace:read'], {}) };
    const sender = testClient(server.base, { bearer: await user.token(['telemetry:ingest']) });
    const records = ['a=b', 'c'].map((stringValue) => ({
      timeUnixNano: nanos(Date.now()),
      attributes: [{ key: 'user.id', value: { stringValue } }],
    }));
    expect((await sender.post('/v1/logs', logsRequest(records))).status).toBe(200);
    await stored(server.base);
  });
  afterAll(() => server?.stop());
  const users = async () => {
    const body = { query: 'logs | stats n=count() by user.id | sort user.id', from: 'now-1h', to: 'now+1m' };
    return (await user.post(`${user.workspace}/query`, body)).data.rows;
  };

  it('only says what it would delete, and deletes it with --yes', async () => {
    const args = ['erase', '--attribute', 'user.id=a=b'];
    const asked = await runProcess(args, env);
    expect([asked.code, asked.output]).toEqual([0, expect.stringContaining('would delete')]);
    expect(await users()).toEqual([
      ['a=b', 1],
      ['c', 1],
    ]);
    const done = await runProcess([...args, '--yes', '--wait'], env);
    expect([done.code, done.output]).toEqual([0, expect.stringMatching(/deleted: telemetry with user.id = a=b/)]);
    expect(await users()).toEqual([['c', 1]]);
  });

  it('ends with the error of the server if the token may not delete projects', async () => {
    const reader = { ...env, FANION_TOKEN: await user.token(['telemetry:query', 'workspace:read'], {}) };
    const { code, output } = await runProcess(['erase', '--attribute', 'user.id=c', '--yes'], reader);
    expect([code, output]).toEqual([1, expect.stringContaining('projects:write')]);
  });
});
